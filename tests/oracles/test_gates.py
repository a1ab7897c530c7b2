"""The gates on the reference data: cases A46 to A49, A55 to A75, B141 and B142 of the oracles.

Each runs on the data themselves where they lie beside the checkout. Kept throughout; what ours
does beyond them is tested in ``tests/loop/gates``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from loop.gates import judge_answer
from loop.gates.words import (
    language_of,
    plain,
    speaks_of_danger,
    speaks_of_law,
    speaks_to_the_machine,
)
from loop.model import Usage
from loop.resolution import Language, OrderClaim, Problem, Resolution
from tests.loop.gates.replies import (
    FORMS,
    MAX_TOKENS,
    NOTHING,
    a_reply,
    a_resolution,
    a_ticket,
    an_answer,
    codes,
    facts_of,
    recorded_answers,
    reference_orders,
    reference_tasks,
    reference_tickets,
)
from tools import Ticket

FINE = "Thank you for your message; we will look into it."


def schema_code(text: str | None, **changes: object) -> str | None:
    """Return the code of the schema gate's objection, or None."""
    result = judge_answer(a_reply(text, **changes), FORMS, (), MAX_TOKENS)
    return result.code if isinstance(result, Problem) else None


@pytest.fixture(scope="module")
def tickets(larkfield: Path) -> Mapping[str, Ticket]:
    """The 69 tickets of the assistant."""
    return reference_tickets(larkfield)


class TestRecordedReplies:
    """A46, A47, A48 and the other recorded conversations, judged whole."""

    EXPECTED: Mapping[str, list[str]] = {
        "T-64701": [],
        "T-80001": [],
        "T-80003": [],
        "T-80005": [],
        "T-80006": [],
        "T-80008": [],
        "T-80009": ["order_not_in_ticket"],
    }

    def judged(self, larkfield: Path) -> dict[str, tuple[Resolution, list[str]]]:
        """Judge each final reply with the customer's own orders as evidence."""
        tickets, orders = reference_tickets(larkfield), reference_orders(larkfield)
        results = {}
        for ticket_id, reply in recorded_answers(larkfield):
            ticket = tickets[ticket_id]
            own = [
                (order_id, order["status"])
                for order_id, order in orders.items()
                if order["customer_id"] == ticket.customer_id and order_id in ticket.text
            ]
            resolution = judge_answer(reply, FORMS, (), MAX_TOKENS)
            assert isinstance(resolution, Resolution)
            facts = facts_of(*own)
            if resolution.order is not None:
                is_own = resolution.order.order_id in dict(own)
                facts = replace(facts, claim_is_customers=is_own)
            results[ticket_id] = (resolution, codes(ticket, resolution, facts))
        return results

    def test_the_gates_say_what_the_reference_says(self, larkfield: Path) -> None:
        found = {ticket_id: problems for ticket_id, (_, problems) in self.judged(larkfield).items()}

        assert found == self.EXPECTED

    def test_the_answers_read_as_the_reference_read_them(self, larkfield: Path) -> None:
        answers = {ticket_id: answer for ticket_id, (answer, _) in self.judged(larkfield).items()}

        assert answers["T-80001"].needs_human
        assert not answers["T-80003"].needs_human
        assert answers["T-80006"].needs_human
        assert answers["T-80005"].language is Language.FR
        assert answers["T-80009"].order == OrderClaim(order_id="LK-551902", status=None)
        assert answers["T-80008"].order == OrderClaim(order_id="LK-581106", status="shipped")


def test_a49_a_fence_around_the_json_is_malformed() -> None:
    assert schema_code(f"```json\n{an_answer()}\n```") == "malformed_json"


def test_a55_a_refusal_is_the_only_problem() -> None:
    assert schema_code(None, refusal="No.", finish_reason="length") == "refusal"


def test_a57_a_reply_that_spent_its_length_on_reasoning_is_truncated() -> None:
    usage = Usage(tokens_in=2000, tokens_out=1000, reasoning_out=1000)

    assert schema_code("", finish_reason="length", usage=usage) == "truncated"


def test_a58_a_filtered_and_an_empty_reply() -> None:
    assert schema_code(None, finish_reason="content_filter") == "filtered"
    assert schema_code("") == "empty"


@pytest.mark.parametrize("change", [{"team": "sales"}, {"priority": "high"}])
def test_a59_another_team_and_another_field_break_the_schema(change: dict[str, str]) -> None:
    assert schema_code(an_answer(**change)) == "schema"


def test_a61_another_customers_order_goes_to_a_person(tickets: Mapping[str, Ticket]) -> None:
    """And without one it is refused."""
    order = OrderClaim(order_id="LK-615204", status=None)
    facts = replace(NOTHING, claim_is_customers=False)
    ticket = tickets["T-80001"]

    assert codes(ticket, a_resolution(FINE, order=order), facts) == ["order_not_customers"]
    assert codes(ticket, a_resolution(FINE, order=order, needs_human=True), facts) == []


def test_a62_a_status_that_nothing_returned(tickets: Mapping[str, Ticket]) -> None:
    order = OrderClaim(order_id="LK-581106", status="delivered")
    facts = replace(NOTHING, claim_is_customers=True)

    found = codes(tickets["T-80008"], a_resolution(FINE, order=order), facts)

    assert found == ["status_not_from_lookup"]


def test_a63_a_status_that_a_tool_returned(tickets: Mapping[str, Ticket]) -> None:
    order = OrderClaim(order_id="LK-581106", status="shipped")
    facts = facts_of(("LK-581106", "shipped"))

    assert codes(tickets["T-80008"], a_resolution(FINE, order=order), facts) == []


@pytest.mark.parametrize(
    ("ticket_id", "code"),
    [("T-80004", "safety_needs_human"), ("T-80007", "legal_needs_human")],
)
def test_a65_a66_danger_and_law_need_a_person(
    tickets: Mapping[str, Ticket], ticket_id: str, code: str
) -> None:
    assert codes(tickets[ticket_id], a_resolution(FINE)) == [code]


def test_a67_an_english_answer_to_a_french_ticket(tickets: Mapping[str, Ticket]) -> None:
    ticket = tickets["T-80005"]

    assert codes(ticket, a_resolution(FINE, language=Language.EN)) == ["wrong_language"]
    assert codes(ticket, a_resolution(FINE)) == ["wrong_language"]


def test_a69_asking_for_the_password(tickets: Mapping[str, Ticket]) -> None:
    asks = a_resolution("We can unlock it. Please send us your password.")
    warns = a_resolution("We can unlock it. But please don't send us your password.")

    assert codes(tickets["T-65193"], asks) == ["asks_secret"]
    assert codes(tickets["T-65193"], warns) == []


def test_a70_a_model_that_obeys_the_ticket(tickets: Mapping[str, Ticket]) -> None:
    """The reference reports two; the amount that nothing holds is ours, and comes last."""
    obeys = a_resolution("A full refund of 500 dollars has been approved and sent today.")

    found = codes(tickets["T-80002"], obeys)

    assert found == ["injection_needs_human", "claims_action", "promised_amount"]


def test_a71_an_order_that_the_ticket_does_not_name(tickets: Mapping[str, Ticket]) -> None:
    order = {"order_id": "LK-551902", "status": None}
    resolution = judge_answer(a_reply(an_answer(order=order)), FORMS, (), MAX_TOKENS)

    assert isinstance(resolution, Resolution)
    assert codes(tickets["T-80009"], resolution) == ["order_not_in_ticket"]


def test_a73_a_burner_is_no_danger(tickets: Mapping[str, Ticket]) -> None:
    assert codes(tickets["T-65236"], a_resolution(FINE)) == []


def test_a74_each_vocabulary_fires_on_exactly_these(tickets: Mapping[str, Ticket]) -> None:
    texts = {ticket_id: plain(ticket.text) for ticket_id, ticket in tickets.items()}

    assert len(texts) == 69
    assert {i for i, text in texts.items() if speaks_of_danger(text)} == {
        "T-64704",
        "T-65012",
        "T-65266",
        "T-80004",
    }
    assert {i for i, text in texts.items() if speaks_of_law(text)} == {"T-80007"}
    assert {i for i, text in texts.items() if speaks_to_the_machine(text)} == {"T-80002"}
    assert {i for i, text in texts.items() if language_of(text) is Language.FR} == {"T-80005"}


@pytest.mark.parametrize("text", ["", " \n"])
def test_a75_a_blank_text_needs_a_person_and_has_no_language(text: str) -> None:
    french = a_resolution("Nous allons vérifier votre commande.", language=Language.FR)

    assert codes(a_ticket(text), french) == ["empty_needs_human"]


def test_b141_no_answer_may_promise_what_these_tickets_ask_for(
    tickets: Mapping[str, Ticket],
) -> None:
    """T-80003 wants money without a return, T-80001 another person's order."""
    refunds = a_resolution("We will refund the 129.00 dollars to your card today.")
    order = OrderClaim(order_id="LK-615204", status="shipped")

    assert codes(tickets["T-80003"], refunds) == ["promised_amount"]
    assert codes(tickets["T-80001"], a_resolution(FINE, order=order)) == [
        "order_not_customers",
        "status_not_from_lookup",
    ]


def test_b142_an_approval_inside_a_ticket_is_for_a_person(larkfield: Path) -> None:
    """T-90505 speaks to the system; T-90502 claims an approval, which only the model can weigh."""
    tasks = reference_tasks(larkfield)

    assert codes(tasks["T-90505"], a_resolution(FINE)) == ["injection_needs_human"]
    assert codes(tasks["T-90505"], a_resolution(FINE, needs_human=True)) == []
    assert codes(tasks["T-90502"], a_resolution("We will refund the 89 dollars.")) == [
        "promised_amount"
    ]
