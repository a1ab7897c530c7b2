"""The loop's oracles: A23 to A37 in the assistant profile, B25 to B54 in the resolver profile.

Each runs over the data that ship, and over the reference data where they are beside the checkout.
Scripted models say what the cases say; recorded replies are in ``test_recorded.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import (
    PRICES,
    Called,
    Ended,
    Entry,
    Failed,
    Journal,
    MemorySink,
    Message,
    ModelError,
    Profile,
    ProviderFailed,
    Record,
    RecordingMissing,
    Replied,
    Reply,
    RequestHead,
    Result,
    Role,
    ScriptedModel,
    StopReason,
    VirtualClock,
    get_profile,
    price_of,
    run,
)
from loop.messages import first_digest, next_digest
from loop.testing import call, reply
from loop.work import work_for
from recordings import Match, Recording, ReplayModel
from tools import (
    PRACTICE_TODAY,
    SHIPPED_DATA,
    FaultyShop,
    PracticeShop,
    TicketCase,
    ToolSpec,
    load_tickets,
)

ANSWER = {
    "language": "en",
    "team": "delivery",
    "needs_human": True,
    "reason": "asks about an order",
    "confidence": "medium",
    "order": None,
    "reply": "Thank you for your message. A colleague will look at this and write to you.",
}
FINISH: dict[str, Any] = {
    "outcome": "hand_to_person",
    "rule": None,
    "actions": [],
    "reply": "",
    "reason": "for a person",
}
FLAT = dict.fromkeys(("order_id", "sku", "quantity", "amount", "reason", "payment_id"))
LATE_FEE = FLAT | {
    "tool": "request_refund",
    "order_id": "LK-640436",
    "amount": 9.95,
    "reason": "RFD-LATE",
}


@dataclass(frozen=True)
class Data:
    """A practice shop and its tickets."""

    shop: PracticeShop
    tickets: dict[str, TicketCase]

    def run(
        self,
        ticket_id: str,
        profile: Profile,
        replies: Sequence[Reply | ModelError],
        clock: VirtualClock | None = None,
    ) -> Ran:
        """Run one ticket with a scripted model and the ticket's own faults."""
        case = self.tickets[ticket_id]
        shop = FaultyShop(self.shop, case.faults)
        work = work_for(case.ticket, profile, shop, today=PRACTICE_TODAY, model_name="scripted")
        sink, clock = MemorySink(), clock or VirtualClock()
        model = ScriptedModel(replies, clock)
        ended = run(work, model, Journal(sink, clock))
        return Ran(ended, [entry.record for entry in sink.entries], model)


@dataclass(frozen=True)
class Ran:
    """What a run came to."""

    ended: Ended
    records: list[Record]
    model: ScriptedModel

    @property
    def codes(self) -> list[str]:
        """The codes of the answers to calls."""
        return [record.code for record in self.records if isinstance(record, Called)]

    @property
    def stop(self) -> tuple[str, int]:
        """Reason and step."""
        return self.ended.stop.reason.value, self.ended.stop.step


def _data(folder: Path) -> Iterator[Data]:
    with PracticeShop.from_folder(folder) as shop:
        yield Data(shop, {case.ticket.ticket_id: case for case in load_tickets(folder)})


@pytest.fixture(scope="module", params=["ours", "c08"])
def assistant(request: pytest.FixtureRequest) -> Iterator[Data]:
    """Our data, and the assistant's."""
    if request.param == "ours":
        yield from _data(SHIPPED_DATA)
    else:
        yield from _data(request.getfixturevalue("larkfield") / request.param)


@pytest.fixture(scope="module", params=["ours", "c10"])
def resolver(request: pytest.FixtureRequest) -> Iterator[Data]:
    """Our data, and the resolver's."""
    if request.param == "ours":
        yield from _data(SHIPPED_DATA)
    else:
        yield from _data(request.getfixturevalue("larkfield") / request.param)


def profile(name: str, **limits: Any) -> Profile:
    """A profile with other limits."""
    found = get_profile(name)
    return replace(found, limits=found.limits.changed(**limits))


def look(order_id: str, **more: Any) -> Reply:
    """A reply that looks up one order."""
    return reply(call("get_order", {"order_id": order_id}), **more)


def search(number: int, **more: Any) -> Reply:
    """A reply with a search unlike the others."""
    return reply(call("search_policy", {"query": f"refund rule {number}"}), **more)


def finish(**fields: Any) -> Reply:
    """A finish; by default it hands over."""
    return reply(call("finish", FINISH | fields))


def resolve(*actions: dict[str, Any]) -> Reply:
    """A finish with actions."""
    text = "Thank you for your message. A colleague will look at this and write to you."
    return finish(outcome="resolve", actions=list(actions), reply=text)


ANSWERED = reply(text=json.dumps(ANSWER))


# --- A2: the assistant -----------------------------------------------------------------------


def test_a23_the_same_call_twice_is_a_repeat(assistant: Data) -> None:
    again = look("LK-581106", tokens=(0, 0))
    ran = assistant.run("T-80008", profile("assistant"), [again, again])
    assert (ran.codes, ran.stop) == (["ok", "repeated_call"], ("repeated_call", 2))
    assert (ran.ended.resolution, ran.ended.totals.tokens_in) == (None, 0)


def test_a24_a_repeat_counts_whatever_the_first_outcome_was(assistant: Data) -> None:
    again = look("LK-615204")
    ran = assistant.run("T-80001", profile("assistant"), [again, again])
    assert (ran.codes, ran.stop) == (["other_customer", "repeated_call"], ("repeated_call", 2))
    assert (ran.ended.orders, ran.ended.resolution) == ({}, None)


def test_a25_four_wrong_ids_use_up_four_steps(assistant: Data) -> None:
    wrong = [look(f"LK-00000{number}") for number in range(4)]
    ran = assistant.run("T-80008", profile("assistant"), wrong)
    assert (ran.codes, ran.stop) == (["not_found"] * 4, ("max_steps", 4))


def test_a27_time_is_looked_at_after_a_round_of_tools(assistant: Data) -> None:
    """The clock shows 0, 30 and 61 s."""
    rounds = [look("LK-000001", latency_s=30), look("LK-000002", latency_s=31)]
    ran = assistant.run("T-80008", profile("assistant"), rounds)
    assert (ran.stop, ran.ended.stop.observed) == (("time", 2), "61")


def test_a28_exactly_the_limit_goes_on(assistant: Data) -> None:
    rounds = [look("LK-000001", latency_s=30), look("LK-000002", latency_s=30), ANSWERED]
    ran = assistant.run("T-80008", profile("assistant"), rounds)
    assert ran.stop == ("finished", 3)


def test_a29_time_after_the_fourth_round_comes_before_steps(assistant: Data) -> None:
    rounds = [look(f"LK-00000{number}", latency_s=15.25) for number in range(4)]
    ran = assistant.run("T-80008", profile("assistant"), rounds)
    assert (ran.stop, ran.ended.stop.also) == (("time", 4), ("max_steps",))


def test_a31_spaces_do_not_make_another_call(assistant: Data) -> None:
    replies = [
        reply(call("get_order", '{"order_id": "LK-581106"}')),
        reply(call("get_order", '{"order_id":"LK-581106"}')),
    ]
    assert assistant.run("T-80008", profile("assistant"), replies).stop == ("repeated_call", 2)


def test_a32_the_second_copy_in_one_reply_stops_the_run(assistant: Data) -> None:
    twice = reply(*look("LK-581106").calls, *look("LK-581106").calls)
    ran = assistant.run("T-80008", profile("assistant"), [twice])
    assert (ran.codes, ran.stop) == (["ok", "repeated_call"], ("repeated_call", 1))


def test_a33_two_different_calls_in_one_reply_both_run_in_one_step(assistant: Data) -> None:
    both = reply(*look("LK-581106").calls, *look("LK-000001").calls)
    ran = assistant.run("T-80008", profile("assistant"), [both, ANSWERED])
    assert (ran.codes, ran.stop) == (["ok", "not_found"], ("finished", 2))
    roles = [message.role.value for message in ran.model.history[1].messages]
    assert roles == ["system", "user", "assistant", "tool", "tool"]


def test_a35_only_what_was_returned_is_evidence(assistant: Data) -> None:
    replies = [look("LK-581106"), look("LK-615204"), ANSWERED]
    ran = assistant.run("T-80008", profile("assistant"), replies)
    assert {fact.order_id: fact.status for fact in ran.ended.orders.values()} == {
        "LK-581106": "shipped"
    }


def test_a36_a_kept_request_does_not_grow(assistant: Data) -> None:
    ran = assistant.run("T-80008", profile("assistant"), [look("LK-581106"), ANSWERED])
    assert [len(request.messages) for request in ran.model.history] == [2, 4]


def test_a37_any_stop_fails_names_its_reason_and_keeps_the_steps(assistant: Data) -> None:
    again = look("LK-581106")
    scripts: list[list[Reply | ModelError]] = [[again, again], [again, ProviderFailed("HTTP 500")]]
    for replies in scripts:
        ran = assistant.run("T-80008", profile("assistant"), replies)
        assert ran.ended.result is Result.FAILED
        assert ran.ended.stop.reason in (StopReason.REPEATED_CALL, StopReason.PROVIDER_ERROR)
        assert ran.codes[0] == "ok"
        assert ran.ended.actions == ()


# --- B3: finish and evidence -----------------------------------------------------------------


def refusal(data: Data, *replies: Reply) -> str:
    """Why the last of the replies, a finish, is refused."""
    over = ProviderFailed("over")
    ran = data.run("T-90103", profile("resolver"), [*replies, over])
    called = [record for record in ran.records if isinstance(record, Called)][-1]
    assert called.code == "finish_refused"
    return called.text


def test_b25_resolve_needs_an_action(resolver: Data) -> None:
    assert "needs at least one action" in refusal(resolver, resolve())


def test_b26_reply_only_has_none(resolver: Data) -> None:
    end = finish(outcome="reply_only", reply="Thank you.", actions=[LATE_FEE])
    assert "only the outcome resolve" in refusal(resolver, look("LK-640436"), end)


def test_b27_an_order_that_no_tool_returned(resolver: Data) -> None:
    assert "no tool has returned this order" in refusal(resolver, resolve(LATE_FEE))


def test_b28_an_order_seen_in_the_list_alone_is_evidence(resolver: Data) -> None:
    listed = reply(call("get_customer_orders"))
    ran = resolver.run("T-90103", profile("resolver"), [listed, resolve(LATE_FEE)])
    assert ran.codes == ["ok", "finish_accepted"]


@pytest.mark.parametrize(
    "actions",
    [
        [LATE_FEE | {"amount": 0}],
        [LATE_FEE | {"amount": 5001}],
        [FLAT | {"tool": "reship_item", "order_id": "LK-640436", "sku": "PLANTER", "quantity": 11}],
        [LATE_FEE | {"amount": amount} for amount in (1, 2, 3, 4, 5)],
        [LATE_FEE | {"reason": "RFD-NICE"}],
    ],
    ids=["nothing", "too much", "too many", "five actions", "unknown reason"],
)
def test_b29_actions_out_of_bounds(resolver: Data, actions: list[dict[str, Any]]) -> None:
    assert "not accepted" in refusal(resolver, look("LK-640436"), resolve(*actions))


def test_b30_an_amount_is_rounded_to_the_cent(resolver: Data) -> None:
    end = resolve(LATE_FEE | {"amount": 9.949})
    ran = resolver.run("T-90103", profile("resolver"), [look("LK-640436"), end])
    assert ran.ended.resolution is not None
    (action,) = ran.ended.resolution.actions
    assert str(getattr(action, "money", None)) == "9.95 CAD"


def test_b31_a_hand_over_needs_no_look_up(resolver: Data) -> None:
    ran = resolver.run("T-90103", profile("resolver"), [finish()])
    assert (ran.stop, ran.ended.result) == (("finished", 1), Result.VALID)


# --- B4: the resolver ------------------------------------------------------------------------


def test_b36_twenty_searches_against_four_steps(resolver: Data) -> None:
    replies = [search(number) for number in range(20)]
    ran = resolver.run("T-90103", profile("resolver", max_steps=4), replies)
    assert (ran.stop, ran.ended.actions) == (("max_steps", 4), ())


def test_b37_the_same_good_look_up_again(resolver: Data) -> None:
    ran = resolver.run("T-90103", profile("resolver"), [look("LK-640436")] * 2)
    assert (ran.stop, ran.codes) == (("repeated_call", 2), ["ok", "repeated_call"])
    assert list(ran.ended.orders) == ["LK-640436"]


def test_b38_a_time_out_is_cured_by_the_same_call_again(resolver: Data) -> None:
    replies = [look("LK-645001"), look("LK-645001"), finish()]
    ran = resolver.run("T-90601", profile("resolver"), replies)
    assert ran.stop == ("finished", 3)
    assert ran.codes == ["service_timeout", "ok", "finish_accepted"]


@pytest.mark.parametrize("again", [True, False])
def test_b40_an_unknown_tool_again_and_again(resolver: Data, again: bool) -> None:
    names = ["delete_order"] * 3 if again else ["delete_order", "drop_order", "void_order"]
    ran = resolver.run("T-90103", profile("resolver"), [reply(call(name)) for name in names])
    assert (ran.stop, ran.codes) == (("too_many_errors", 3), ["unknown_tool"] * 3)


def test_b41_the_same_against_two_errors(resolver: Data) -> None:
    replies = [reply(call("delete_order"))] * 2
    ran = resolver.run("T-90103", profile("resolver", max_errors=2), replies)
    assert ran.stop == ("too_many_errors", 2)


def test_b42_three_ids_that_do_not_exist(resolver: Data) -> None:
    replies = [look(f"LK-00000{number}") for number in (1, 2, 3)]
    ran = resolver.run("T-90103", profile("resolver"), replies)
    assert (ran.stop, ran.codes) == (("too_many_errors", 3), ["not_found"] * 3)


def test_b44_a_success_between_resets_the_streak(resolver: Data) -> None:
    replies = [
        look("LK-000001"),
        look("LK-000002"),
        look("LK-640436"),
        look("LK-000003"),
        finish(),
    ]
    ran = resolver.run("T-90103", profile("resolver"), replies)
    assert ran.stop == ("finished", 5)
    assert ran.codes[:4] == ["not_found", "not_found", "ok", "not_found"]


def test_b45_fifty_seconds_a_call_end_after_the_third(resolver: Data) -> None:
    replies = [search(number, latency_s=50) for number in range(9)]
    ran = resolver.run("T-90103", profile("resolver"), replies)
    assert (ran.stop, ran.ended.stop.observed) == (("time", 3), "150")


def test_b46_cost_ends_after_the_third_call(resolver: Data) -> None:
    one = search(0, tokens=(200_000, 1_000))
    cost = price_of("chat-small", "chat-small", one.usage, PRICES)
    assert cost.usd == Decimal("0.0205")
    replies = [replace(search(number), cost=cost) for number in range(9)]
    ran = resolver.run("T-90103", profile("resolver"), replies)
    assert (ran.stop, ran.ended.stop.observed) == (("cost", 3), "0.0615")


def test_b48_a_model_that_was_never_recorded(resolver: Data) -> None:
    ran = resolver.run("T-90103", profile("resolver"), [RecordingMissing("nothing is like it")])
    assert (ran.stop, ran.ended.actions) == (("no_recording", 1), ())


def test_b49_a_provider_error_keeps_its_message(resolver: Data) -> None:
    error = ProviderFailed("HTTP 503", status=503)
    ran = resolver.run("T-90103", profile("resolver"), [look("LK-640436"), error])
    assert (ran.stop, ran.ended.stop.cause) == (("provider_error", 2), "HTTP 503")
    failed = [record for record in ran.records if isinstance(record, Failed)]
    assert [(record.message, record.status) for record in failed] == [("HTTP 503", 503)]
    assert ran.ended.actions == ()


def test_b50_replies_without_a_step_are_nudged_twice(resolver: Data) -> None:
    replies = [reply(text="Let me think."), reply(text=""), reply(text="Still thinking.")]
    ran = resolver.run("T-90103", profile("resolver"), replies)
    assert ran.stop == ("too_many_errors", 3)
    roles = [message.role.value for message in ran.model.history[-1].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_b52_exactly_the_time_limit_allows_the_next_call(resolver: Data) -> None:
    replies = [search(0, latency_s=60), search(1, latency_s=60), finish()]
    assert resolver.run("T-90103", profile("resolver"), replies).stop == ("finished", 3)


def test_b53_spaces_do_not_make_another_call(resolver: Data) -> None:
    replies = [
        reply(call("get_order", '{"order_id": "LK-640436"}')),
        reply(call("get_order", '{ "order_id":"LK-640436" }')),
    ]
    assert resolver.run("T-90103", profile("resolver"), replies).stop == ("repeated_call", 2)


def test_b54_malformed_text_that_begins_with_a_brace_is_one_error(resolver: Data) -> None:
    replies = [reply(call("get_order", '{"order_id": ')), finish()]
    ran = resolver.run("T-90103", profile("resolver", max_errors=2), replies)
    assert (ran.stop, ran.codes[0]) == (("finished", 2), "invalid_arguments")


# --- A3, A5, B7: stops of a whole ticket, and requests ---------------------------------------


def test_a42_a_constructed_stop_fails_after_two_calls_without_a_token(assistant: Data) -> None:
    again = look("LK-581106", tokens=(0, 0), model="constructed-example")
    ran = assistant.run("T-80008", profile("assistant"), [again, again])
    totals = ran.ended.totals
    assert (ran.ended.result, ran.ended.stop.step) == (Result.FAILED, 2)
    assert (totals.models, totals.tokens_in, totals.tokens_out) == (["constructed-example"], 0, 0)


def test_a43_a_provider_that_takes_no_tools_fails_the_run_without_a_crash(assistant: Data) -> None:
    ran = assistant.run("T-80008", profile("assistant"), [ProviderFailed("HTTP 400", status=400)])
    assert (ran.ended.result, ran.stop) == (Result.FAILED, ("provider_error", 1))
    assert "HTTP 400" in str(ran.ended.stop.cause)
    assert (ran.ended.totals.tokens_in, ran.ended.totals.models) == (0, [])


def test_a81_a82_b106_a_request_is_known_by_its_values_and_not_by_their_order() -> None:
    """The relation of the reference's keys, in our own form."""
    head = RequestHead(
        model="chat-small",
        tools=(),
        tool_choice=None,
        response_format={"name": "n", "schema": {"type": "object"}},
        max_tokens=10,
    )
    turned = replace(head, response_format={"schema": {"type": "object"}, "name": "n"})
    hi, other = (Message(role=Role.USER, text=text) for text in ("Hi", "Hi!"))
    digest = next_digest(first_digest(head), (hi,))
    assert digest == next_digest(first_digest(turned), (hi,))
    assert digest != next_digest(first_digest(head), (other,))
    assert len(digest) == 64
    others: list[dict[str, Any]] = [
        {"model": "chat-large"},
        {"tools": (ToolSpec(name="get_order", description="", parameters={}),)},
        {"tool_choice": "auto"},
        {"response_format": None},
        {"max_tokens": 11},
    ]
    assert digest not in {next_digest(first_digest(replace(head, **c)), (hi,)) for c in others}


def test_a83_b102_b103_a_request_is_replayed_exactly_or_by_its_place_with_a_note(
    resolver: Data,
) -> None:
    """Ours refuses a changed ticket text unless it is asked to match by ticket and step."""
    resolver_profile = profile("resolver")
    recorded = resolver.run("T-80008", resolver_profile, [look("LK-581106"), finish()])
    recording = Recording.of("r", [Entry(seq=0, at_us=0, record=r) for r in recorded.records])
    assert recording is not None
    ticket = resolver.tickets["T-80008"].ticket
    for text, match, expected in (
        (ticket.text, Match.STRICT, ("finished", [None, None])),
        (ticket.text + "!", Match.STRICT, ("no_recording", [])),
        (ticket.text + "!", Match.SEQUENCE, ("finished", [NOTE, NOTE])),
    ):
        work = work_for(
            replace(ticket, text=text),
            resolver_profile,
            resolver.shop,
            today=PRACTICE_TODAY,
            model_name="scripted",
        )
        sink = MemorySink()
        model = ReplayModel([recording], match=match)
        ended = run(work, model, Journal(sink, VirtualClock()))
        notes = [e.record.reply.note for e in sink.entries if isinstance(e.record, Replied)]
        assert (ended.stop.reason.value, notes) == expected


NOTE = "recorded for another request, taken by its place"
