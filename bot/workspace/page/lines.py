"""The inspector's lines: what was delivered to the app, what it called, and what was refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bot.workspace.traffic import Call, Delivery, Kind

__all__ = ["call_line", "call_text", "delivery_line", "delivery_text"]

PROBLEM = re.compile(r"\[ERROR\] (?P<what>.*) \[json-pointer:(?P<place>[^\]]*)\]")
IN_BLOCK = re.compile(r"(?:/view)?/blocks/(?P<number>\d+)(?P<rest>.*)")
MS = 1_000


def delivery_line(delivery: Delivery) -> dict[str, Any]:
    """Return the line of a delivery: what, its tries, how long the acknowledgement took."""
    last = delivery.attempts[-1] if delivery.attempts else None
    line: dict[str, Any] = {
        "way": "in",
        "what": f"{_KINDS[delivery.kind]} {delivery.event_type}".strip(),
        "about": _about(delivery.payload),
        "tries": len(delivery.attempts),
        "at": delivery.attempts[0].at if delivery.attempts else None,
        "ms": None,
        "state": "waiting",
        "problems": [],
    }
    if last is None:
        return line
    failed = not delivery.acknowledged
    problems = [f"not acknowledged: {last.answer.failure}"] if failed else []
    return line | {
        "ms": round(last.took_seconds * MS),
        "state": "refused" if failed else "ok",
        "problems": problems,
    }


def call_line(call: Call) -> dict[str, Any]:
    """Return the line of a call: the method, and what Slack refuses about it."""
    return {
        "way": "out",
        "what": call.method,
        "about": _asked(call),
        "tries": 1,
        "at": call.at,
        "ms": None,
        "state": "ok" if call.ok else "refused",
        "problems": [] if call.ok else list(_problems(call)),
    }


def delivery_text(delivery: Delivery) -> str:
    """Return all of a delivery as text: the payload, and what was answered to each try."""
    answers = [
        {"try": each.number, "status": each.answer.status, "body": each.answer.body}
        | ({} if each.answer.ok else {"failure": each.answer.failure})
        for each in delivery.attempts
    ]
    return _text({"payload": delivery.payload, "answers": answers})


def call_text(call: Call) -> str:
    """Return all of a call as text: its arguments, and what was answered. No token is kept."""
    args = {name: _parsed(value) for name, value in call.args.items()}
    return _text({"arguments": args, "status": call.status, "answer": call.answered})


_KINDS = {Kind.EVENT: "event", Kind.INTERACTIVE: "", Kind.COMMAND: "command"}


def _about(payload: dict[str, Any]) -> str:
    """Say what a delivery is about: a subtype, a button, a form, a command's text."""
    match payload:
        case {"event": {"subtype": str(subtype)}}:
            return subtype
        case {"actions": [{"action_id": str(action)}, *_]}:
            return action
        case {"view": {"callback_id": str(callback)}} | {"callback_id": str(callback)}:
            return callback
        case {"command": str(), "text": str(text)}:
            return text
        case _:
            return ""


def _asked(call: Call) -> str:
    """Say where a call goes to: a channel and a thread, or a person."""
    parts = (call.args.get(name) for name in ("channel", "thread_ts", "ts", "user", "user_id"))
    return " ".join(str(part) for part in parts if part)


def _problems(call: Call) -> Iterator[str]:
    answered = call.answered
    if not answered:
        yield f"no answer (HTTP {call.status})" if call.status else "the connection was torn"
        return
    code = str(answered.get("error", "refused"))
    messages = (answered.get("response_metadata") or {}).get("messages") or ()
    yield from (f"{code}: {_named(call, str(each))}" for each in messages)
    if not messages:
        yield code


def _named(call: Call, message: str) -> str:
    """Return Slack's line about a limit with the block that it is about, counted from 1."""
    found = PROBLEM.fullmatch(message)
    if found is None:
        return message
    inside = IN_BLOCK.fullmatch(found["place"])
    if inside is None:
        return f"{found['place']} {found['what']}"
    number = int(inside["number"])
    block = _blocks(call)[number : number + 1]
    kind = str(block[0].get("type", "block")) if block else "block"
    return f"block {number + 1} ({kind}) {inside['rest'].lstrip('/')} {found['what']}"


def _blocks(call: Call) -> list[dict[str, Any]]:
    blocks = _parsed(call.args.get("blocks"))
    if blocks is None:
        view = _parsed(call.args.get("view"))
        blocks = view.get("blocks") if isinstance(view, dict) else None
    found = blocks if isinstance(blocks, list) else []
    return [each if isinstance(each, dict) else {} for each in found]


def _parsed(value: object) -> Any:
    """Return what JSON text says; every other value as it is."""
    if not isinstance(value, str) or not value.startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
