"""Every oracle case of the reference systems by id: what becomes of it here, and why.

``test_cases.py`` holds that each case that is kept, kept in its relation, or changed has a test
whose name holds its id.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["CASES", "Status"]


class Status(StrEnum):
    """What becomes of a case."""

    KEPT = "kept"
    """Holds as it is written."""
    RELATION = "relation kept"
    """Holds in its relation; a hash or a printed form is the reference's own."""
    CHANGED = "changed"
    """Something else holds here; the reason says what."""
    NOT_OURS = "not ours"
    """What it speaks of does not exist here."""


KEPT, RELATION, CHANGED = Status.KEPT, Status.RELATION, Status.CHANGED
NOT_OURS = Status.NOT_OURS


CASES: Final[dict[str, tuple[Status, str]]] = {
    # A1 get_order
    "A01": (CHANGED, "the same facts; amounts are decimal text with the currency's digits"),
    "A02": (KEPT, ""),
    "A04": (KEPT, ""),
    "A05": (CHANGED, "one spelling of the code, invalid_arguments, for all profiles"),
    "A06": (CHANGED, "as A05"),
    "A08": (CHANGED, "as A05"),
    "A09": (CHANGED, "as A05"),
    "A10": (KEPT, ""),
    "A12": (KEPT, ""),
    "A13": (KEPT, ""),
    "A14": (KEPT, ""),
    "A16": (CHANGED, "as A05"),
    # A2 the loop, assistant
    "A20": (KEPT, ""),
    "A21": (KEPT, ""),
    "A23": (KEPT, ""),
    "A24": (KEPT, ""),
    "A25": (KEPT, ""),
    "A27": (KEPT, ""),
    "A28": (KEPT, ""),
    "A29": (KEPT, ""),
    "A31": (KEPT, ""),
    "A32": (KEPT, ""),
    "A33": (KEPT, ""),
    "A35": (KEPT, ""),
    "A36": (KEPT, "messages are frozen; a copy is a new tuple"),
    "A37": (KEPT, ""),
    # A3 a whole ticket
    "A40": (
        RELATION,
        "the line names the profile, the seconds and by whose price, and no prompt version",
    ),
    "A41": (RELATION, "as A40"),
    "A42": (RELATION, "the stop and its counts; the line is as A40"),
    "A43": (CHANGED, "the call that failed is a step of the run, and the stop is provider_error"),
    "A44": (KEPT, ""),
    "A45": (KEPT, ""),
    "A46": (CHANGED, "the code of the refused look-up is invalid_arguments"),
    "A47": (KEPT, ""),
    "A48": (KEPT, ""),
    "A49": (KEPT, ""),
    "A50": (KEPT, ""),
    # A4 gates
    "A55": (KEPT, ""),
    "A57": (KEPT, ""),
    "A58": (KEPT, ""),
    "A59": (KEPT, ""),
    "A61": (KEPT, ""),
    "A62": (KEPT, ""),
    "A63": (KEPT, ""),
    "A65": (KEPT, ""),
    "A66": (KEPT, ""),
    "A67": (KEPT, ""),
    "A69": (KEPT, ""),
    "A70": (KEPT, ""),
    "A71": (KEPT, ""),
    "A73": (KEPT, ""),
    "A74": (KEPT, ""),
    "A75": (KEPT, ""),
    # A5 store, provider, retry, usage
    "A81": (KEPT, ""),
    "A82": (RELATION, "our digest has a form of its own: a chain over what was appended"),
    "A83": (KEPT, ""),
    "A85": (KEPT, ""),
    "A86": (KEPT, ""),
    "A87": (KEPT, ""),
    "A89": (KEPT, ""),
    "A90": (KEPT, ""),
    "A91": (CHANGED, "a wait that is asked for is never shortened: it fits, or the run ends"),
    "A93": (CHANGED, "a connection that fails is tried again: nothing was sent"),
    "A94": (KEPT, ""),
    "A95": (KEPT, ""),
    "A97": (CHANGED, "the journal is the log; no header of a provider is kept"),
    "A98": (CHANGED, "one definition of a percentile for all figures: nearest rank, so p95 is 19"),
    "A99": (NOT_OURS, "a budget that nothing enforced; here limits bound the run itself"),
    "A101": (KEPT, ""),
    # A6 conversation, stream, evaluation
    "A105": (
        CHANGED,
        "the ticket's own text stands outside the budget, and what is not ASCII counts for more",
    ),
    "A106": (KEPT, ""),
    "A108": (NOT_OURS, "pieces show that an answer is written; nothing judges or counts them"),
    "A109": (NOT_OURS, "as A108"),
    "A110": (CHANGED, "a stream that is cut is a try that broke, and is made again"),
    "A112": (NOT_OURS, "12 of its 92 recorded replies are at hand, of 7 of the 69 tickets"),
    "A113": (NOT_OURS, "12 of its 92 recorded replies are at hand, of 7 of the 69 tickets"),
    "A114": (NOT_OURS, "12 of its 92 recorded replies are at hand, of 7 of the 69 tickets"),
    # B1 dates
    "B02": (KEPT, ""),
    "B03": (KEPT, ""),
    "B04": (KEPT, ""),
    "B06": (KEPT, ""),
    # B2 reads
    "B10": (KEPT, ""),
    "B11": (KEPT, ""),
    "B13": (KEPT, ""),
    "B14": (KEPT, ""),
    "B15": (CHANGED, "the same hits, and only public passages that are in force on the day"),
    "B17": (KEPT, ""),
    "B18": (KEPT, ""),
    "B19": (KEPT, ""),
    # B3 finish and evidence
    "B25": (KEPT, ""),
    "B26": (KEPT, ""),
    "B27": (KEPT, ""),
    "B28": (KEPT, ""),
    "B29": (KEPT, ""),
    "B30": (KEPT, "rounded half up to the currency's own digits"),
    "B31": (KEPT, ""),
    # B4 the loop, resolver
    "B36": (KEPT, ""),
    "B37": (KEPT, ""),
    "B38": (KEPT, ""),
    "B40": (KEPT, ""),
    "B41": (KEPT, ""),
    "B42": (KEPT, ""),
    "B44": (KEPT, ""),
    "B45": (KEPT, ""),
    "B46": (KEPT, ""),
    "B48": (KEPT, ""),
    "B49": (KEPT, ""),
    "B50": (KEPT, ""),
    "B52": (KEPT, ""),
    "B53": (KEPT, ""),
    "B54": (CHANGED, "one error and an answer, where the reference raises"),
    "B56": (KEPT, "on constructed replies"),
    "B57": (KEPT, "on constructed replies"),
    "B58": (KEPT, "on constructed replies"),
    "B59": (KEPT, "on constructed replies"),
    "B60": (KEPT, "on constructed replies"),
    "B61": (KEPT, "on constructed replies"),
    "B62": (NOT_OURS, "the 70 recordings are not at hand"),
    # B5 approval
    "B65": (KEPT, ""),
    "B66": (KEPT, ""),
    "B67": (KEPT, "the head for the reference's named person"),
    "B68": (CHANGED, "the refunds of a ticket add up"),
    "B70": (RELATION, "a digest of our own form"),
    "B71": (RELATION, "order counts in the digest"),
    "B72": (KEPT, "the reply is no part of the digest"),
    "B74": (KEPT, ""),
    "B75": (KEPT, ""),
    "B76": (KEPT, ""),
    # B6 execution and services
    "B80": (
        CHANGED,
        "the operation is executing, and is looked up at the next start",
    ),
    "B81": (CHANGED, "as B80"),
    "B82": (KEPT, ""),
    "B84": (KEPT, ""),
    "B85": (KEPT, ""),
    "B86": (CHANGED, "the proposal is failed; the ticket goes to a person with it"),
    "B88": (
        RELATION,
        "the shop's id follows from the operation's, which is ours",
    ),
    "B89": (RELATION, "ids and keys of our own, one for each action"),
    "B90": (CHANGED, "unknown, with three attempts set; five are the default"),
    "B92": (KEPT, "bodies are compared as well"),
    "B93": (KEPT, ""),
    "B94": (CHANGED, "refused before anything is proposed, and at the shop"),
    "B96": (KEPT, ""),
    "B97": (CHANGED, "refused before anything is proposed, and at the shop"),
    "B98": (CHANGED, "a second one is told as one and needs an explicit yes"),
    # B7 checkpoint, replay, memory
    "B101": (KEPT, "profile in place of design"),
    "B102": (KEPT, ""),
    "B103": (CHANGED, "strict match refuses it; with sequence match it is replayed with a note"),
    "B105": (NOT_OURS, "the repeats of its agent are not at hand; an import takes the first"),
    "B106": (RELATION, "as A82"),
    "B107": (NOT_OURS, "there is no memory of customers"),
    "B109": (NOT_OURS, "there is no memory of customers"),
    # B8 evaluation and designs
    "B112": (KEPT, ""),
    "B113": (KEPT, ""),
    "B115": (KEPT, ""),
    "B116": (KEPT, "for the profiles resolver and desk over our recordings"),
    "B117": (KEPT, ""),
    "B119": (NOT_OURS, "one design only: the loop"),
    "B120": (KEPT, ""),
    # B9 policy boundaries
    "B130": (KEPT, "as expected in the data"),
    "B132": (KEPT, "as expected in the data"),
    "B133": (KEPT, "as expected in the data"),
    "B134": (KEPT, "as expected in the data; ours names the payment"),
    "B136": (KEPT, "as expected in the data"),
    "B137": (KEPT, "as expected in the data"),
    "B138": (KEPT, "as expected in the data"),
    "B140": (KEPT, "as expected in the data"),
    "B141": (KEPT, "as expected in the data"),
    "B142": (KEPT, "as expected in the data"),
    "B144": (KEPT, "as expected in the data"),
    "B145": (KEPT, "as expected in the data"),
}
