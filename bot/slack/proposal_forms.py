"""What the forms of a card show. Who could not use one is told so instead of being asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlite_utils import Database

from approvals import (
    AlreadyDecided,
    OperationState,
    Person,
    Policy,
    ProposalState,
    VersionChanged,
)
from bot.slack.access import Needs
from bot.slack.blocks import edit_amount_modal, reject_modal, settle_modal
from bot.slack.cards import read_card
from bot.slack.errors import PressRefused
from bot.slack.modals import Filler
from bot.slack.press import Press
from bot.slack.refs import ActionId, read_proposal_ref
from bot.slack.views import CardView, View
from bot.slack.words import answers

__all__ = ["proposal_fillers"]


def proposal_fillers(policy: Policy, *, practice_shop: bool) -> Mapping[str, Filler]:
    """Return them by action id."""

    def filler(check: Callable[[CardView, int], None], make: Callable[[CardView], View]) -> Filler:
        def fill(db: Database, press: Press, person: Person) -> View:
            policy.grant_for(person, practice_shop=practice_shop)  # no role: told before typing
            ref = read_proposal_ref(press.value)
            if ref is None:
                raise PressRefused(answers.old_button())
            view = read_card(db, policy, ref.proposal_id)
            check(view, ref.version)
            return make(view)

        return Filler(Needs.NOTHING, fill)

    return {
        ActionId.REJECT.value: filler(_check_waiting, reject_modal),
        ActionId.EDIT_AMOUNT.value: filler(_check_waiting, edit_amount_modal),
        ActionId.SETTLE.value: filler(_check_unknown, settle_modal),
    }


def _check_waiting(view: CardView, version: int) -> None:
    proposal = view.facts.proposal
    if proposal.state is not ProposalState.WAITING:
        raise AlreadyDecided(
            proposal.proposal_id,
            proposal.state,
            proposal.decided_by or "system",
            proposal.decided_us or proposal.created_us,
        )
    if proposal.version != version:
        raise VersionChanged(proposal.proposal_id, version, proposal.version)


def _check_unknown(view: CardView, _version: int) -> None:
    states = [each.operation.state for each in view.facts.actions if each.operation is not None]
    if OperationState.UNKNOWN not in states:
        raise PressRefused(answers.nothing_unknown(view.facts.proposal.proposal_id))
