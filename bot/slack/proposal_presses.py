"""What the buttons and forms of a card do: each ends in one verb of the approvals.

The ids and the version come from the button; everything else is read from the store. Whether the
person may is decided there, inside the transaction, and nowhere in here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlite_utils import Database

from approvals import (
    Decisions,
    Done,
    Failed,
    OperationState,
    Person,
    Proposal,
    ProposalState,
    Revisions,
    Signed,
    operations_of,
    read_proposal,
)
from bot.slack.access import Needs
from bot.slack.amounts import amount_field, read_refund
from bot.slack.blocks import note
from bot.slack.decider import Effect, Handler
from bot.slack.errors import PressRefused
from bot.slack.press import Press
from bot.slack.refs import (
    ActionId,
    CallbackId,
    Field,
    ProposalRef,
    read_proposal_ref,
)
from bot.slack.views import Message
from bot.slack.words import answers
from bot.slack.words.common import NOTHING_CHANGED
from tools import Action, MoneyError, RequestRefund, ShopError, action_from_dict
from tools import action_to_dict as as_dict

__all__ = ["CheckAction", "ProposalPresses"]

CheckAction = Callable[[str, Action], None]
"""Checks an action of a customer against the shop, over the network; raises a ``ShopError``."""

SETTLED_BY_HAND: Final = "settled_by_hand"


class ProposalPresses:
    """The handlers of a card's buttons and forms.

    Args:
        decisions, revisions: the verbs, under the policy in force.
        check: asks the shop whether an edited change is possible.
        now_us: the time.
    """

    def __init__(
        self,
        *,
        decisions: Decisions,
        revisions: Revisions,
        check: CheckAction,
        now_us: Callable[[], int],
    ) -> None:
        self._decisions = decisions
        self._revisions = revisions
        self._check = check
        self._now_us = now_us

    def handlers(self) -> Mapping[str, Handler]:
        """Return them by action id and callback id. The approvals table says who may."""
        found = {
            ActionId.APPROVE: self._approve,
            CallbackId.REJECT: self._reject,
            CallbackId.EDIT_AMOUNT: self._edit,
            CallbackId.SETTLE: self._settle,
            ActionId.REOPEN: self._reopen,
            ActionId.TRY_AGAIN: self._try_again,
            ActionId.OPEN: self._open,
        }
        return {
            name.value: Handler(needs=Needs.NOTHING, prepare=prepare)
            for name, prepare in found.items()
        }

    def _approve(self, _db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)

        def approve(w: Database) -> Message | None:
            signed = self._decisions.approve(
                w,
                proposal_id=ref.proposal_id,
                version=ref.version,
                person=person,
                second=ref.second,
                now_us=self._now_us(),
            )
            return _told(signed, shown=not press.home)

        return approve

    def _reject(self, _db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)

        def reject(w: Database) -> Message | None:
            signed = self._decisions.reject(
                w,
                proposal_id=ref.proposal_id,
                version=ref.version,
                person=person,
                why=press.fields.get(Field.REASON, ""),
                now_us=self._now_us(),
            )
            return _told(signed, shown=not press.home)

        return reject

    def _edit(self, db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)
        proposal = read_proposal(db, ref.proposal_id)
        amounts = _amounts(proposal, press.fields)
        if proposal.state is ProposalState.WAITING and proposal.version == ref.version:
            self._check_edited(proposal, amounts)

        def edit(w: Database) -> None:
            self._revisions.edit(
                w,
                proposal_id=ref.proposal_id,
                version=ref.version,
                amounts=amounts,
                person=person,
                now_us=self._now_us(),
            )

        return edit

    def _check_edited(self, proposal: Proposal, amounts: Mapping[int, int]) -> None:
        """Ask the shop whether each changed refund is possible. The store's rules come later."""
        for position, minor in amounts.items():
            action = proposal.actions[position - 1]
            if isinstance(action, RequestRefund) and minor > 0:
                edited = action_from_dict(as_dict(action) | {"amount_minor": minor})
                try:
                    self._check(proposal.customer_id, edited)
                except ShopError as error:
                    raise PressRefused(f"{error}. {NOTHING_CHANGED}") from error

    def _settle(self, _db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)
        why = press.fields.get(Field.REASON, "")
        done = press.fields.get(Field.OUTCOME) == "done"
        failed = Failed(code=SETTLED_BY_HAND, words=answers.FOUND_UNDONE)
        outcome = Done(result={}) if done else failed

        def settle(w: Database) -> Message:
            # The one that the form showed: another may be unknown by now, and is not meant.
            unknown = {
                each.operation_id
                for each in operations_of(w, ref.proposal_id)
                if each.state is OperationState.UNKNOWN
            }
            if ref.operation_id not in unknown:
                raise PressRefused(answers.nothing_unknown(ref.proposal_id))
            operation = self._decisions.settle_unknown(
                w,
                operation_id=ref.operation_id,
                outcome=outcome,
                person=person,
                why=why,
                now_us=self._now_us(),
            )
            return note(answers.settled(operation.operation_id))

        return settle

    def _reopen(self, _db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)

        def reopen(w: Database) -> Message:
            new = self._revisions.reopen(
                w, proposal_id=ref.proposal_id, person=person, now_us=self._now_us()
            )
            return note(answers.reopened(new.proposal_id))

        return reopen

    def _try_again(self, _db: Database, press: Press, person: Person) -> Effect:
        ref = _ref(press)

        def try_again(w: Database) -> Message:
            new = self._revisions.try_again(
                w, proposal_id=ref.proposal_id, person=person, now_us=self._now_us()
            )
            return note(answers.reopened(new.proposal_id))

        return try_again

    def _open(self, _db: Database, _press: Press, _person: Person) -> Effect:
        """Do nothing: the button is a link, and Slack tells us that it was pressed."""
        return lambda _w: None


def _ref(press: Press) -> ProposalRef:
    ref = read_proposal_ref(press.value)
    if ref is None:
        raise PressRefused(answers.old_button())
    return ref


def _told(signed: Signed, *, shown: bool) -> Message | None:
    """Return what to tell after a decision. ``shown``: the card in the thread tells it."""
    proposal_id = signed.proposal.proposal_id
    match signed.proposal.state:
        case ProposalState.EXPIRED:
            return note(answers.expired(proposal_id))
        case ProposalState.WAITING:
            return note(answers.signed(proposal_id, signed.missing))
        case ProposalState.APPROVED if not shown:
            return note(answers.approved(proposal_id))
        case ProposalState.REJECTED if not shown:
            return note(answers.rejected(proposal_id))
        case _:
            return None


def _amounts(proposal: Proposal, fields: Mapping[str, str]) -> dict[int, int]:
    """Return the amounts that differ from what stands, in minor units, by position.

    Raises:
        PressRefused: one cannot be read, or cannot be refunded.
    """
    found: dict[int, int] = {}
    for position, action in enumerate(proposal.actions, start=1):
        if not isinstance(action, RequestRefund):
            continue
        text = fields.get(amount_field(position, action.currency))
        if text is None:
            continue
        try:
            money = read_refund(text, action.currency)
        except MoneyError as error:
            raise PressRefused(f"{error}. {NOTHING_CHANGED}") from error
        if money.minor != action.amount_minor:
            found[position] = money.minor
    return found
