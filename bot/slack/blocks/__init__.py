"""Every message, form and page of the bot. Pure: frozen views in, JSON values out."""

from __future__ import annotations

from bot.slack.blocks.card import card_message, card_note, edit_note, reminder
from bot.slack.blocks.draft import draft_messages
from bot.slack.blocks.home import (
    digest_message,
    home_view,
    note,
    refusal,
    status_report,
    waiting_list,
)
from bot.slack.blocks.modals import (
    ask_again_modal,
    copy_modal,
    edit_amount_modal,
    edit_draft_modal,
    give_customer_modal,
    held_back_modal,
    reject_modal,
    settle_modal,
    skeleton_modal,
    told_modal,
    triage_modal,
)
from bot.slack.blocks.status import status_message
from bot.slack.blocks.stop import ask_customer_message, gave_up_message, stop_message

__all__ = [
    "ask_again_modal",
    "ask_customer_message",
    "card_message",
    "card_note",
    "copy_modal",
    "digest_message",
    "draft_messages",
    "edit_amount_modal",
    "edit_draft_modal",
    "edit_note",
    "gave_up_message",
    "give_customer_modal",
    "held_back_modal",
    "home_view",
    "note",
    "refusal",
    "reject_modal",
    "reminder",
    "settle_modal",
    "skeleton_modal",
    "status_message",
    "status_report",
    "stop_message",
    "told_modal",
    "triage_modal",
    "waiting_list",
]
