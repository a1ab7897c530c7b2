"""The journal of a run that was made elsewhere: the same records as ours, the unknown left null."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from loop import (
    Asked,
    Called,
    Closed,
    CostState,
    Entry,
    Failed,
    Message,
    Opened,
    Record,
    Replied,
    Reply,
    RequestHead,
    Role,
    first_digest,
    next_digest,
)
from recordings.importers.pairing import OpenCalls
from recordings.importers.runs import Answered, Heard, ImportedRun, NoReply, Spoke
from recordings.origin import IMPORTED, RECORDED, Unknown, origin_marks

__all__ = ["journal_of"]


def journal_of(run: ImportedRun, run_id: str, *, redacted: bool) -> list[Entry]:
    """Return the entries of the run, opening and closing record included.

    ``redacted`` says whether its texts were, and stands in the marks.
    """
    return _Writer(run, run_id, redacted=redacted).entries()


class _Writer:
    def __init__(self, run: ImportedRun, run_id: str, *, redacted: bool) -> None:
        self._run = run
        self._run_id = run_id
        self._redacted = redacted
        self._head = _head(run)
        self._digest = first_digest(self._head)
        self._pending: list[Message] = []
        self._open = OpenCalls()
        self._step = 0
        self._at_us = 0
        self._records: list[tuple[int, Record]] = []

    def entries(self) -> list[Entry]:
        for item in self._run.items:
            match item:
                case Heard():
                    self._pending.append(item.message)
                case Spoke():
                    self._spoke(item.reply)
                case NoReply():
                    self._no_reply(item)
                case Answered():
                    self._answered(item)
        self._records.append((self._at_us, self._closed()))
        records = [(0, self._opened()), *self._records]
        return [Entry(seq=seq, at_us=at, record=record) for seq, (at, record) in enumerate(records)]

    def _spoke(self, reply: Reply) -> None:
        self._asked()
        self._take_time(reply.latency_us)
        self._write(Replied(step=self._step, reply=reply))
        self._open.asked(self._step, reply.calls)
        self._pending = [Message(role=Role.ASSISTANT, text=reply.text, calls=reply.calls)]

    def _no_reply(self, item: NoReply) -> None:
        self._asked()
        self._take_time(item.latency_us)
        self._write(
            Failed(
                step=self._step,
                cause="provider_error",
                message=item.message,
                status=item.status,
                wait_s=None,
                latency_us=item.latency_us,
            )
        )

    def _answered(self, answer: Answered) -> None:
        self._pending.append(Message(role=Role.TOOL, text=answer.text, call_id=answer.call_id))
        self._take_time(answer.took_us)
        found = self._open.take(answer)
        if found is None:
            return  # an answer to no call: the model sees it, and no call is the better for it
        step, index, call = found
        self._write(
            Called(
                step=step,
                index=index,
                call_id=call.call_id,
                name=call.name,
                result=answer.outcome,
                code="recorded" if answer.outcome is not None else "unknown",
                text=answer.text,
                cut=False,
                copy_of=None,
                orders=(),
                action=None,
            )
        )

    def _asked(self) -> None:
        self._step += 1
        appended = tuple(self._pending)
        self._pending = []
        self._digest = next_digest(self._digest, appended)
        self._write(Asked(step=self._step, digest=self._digest, appended=appended))

    def _take_time(self, us: int | None) -> None:
        self._at_us += us or 0

    def _write(self, record: Record) -> None:
        self._records.append((self._at_us, record))

    def _opened(self) -> Opened:
        source = self._run.source
        marks = origin_marks(source, self._run.label, self._unknown())
        marks["redacted"] = self._redacted
        heard = (item.message for item in self._run.items if isinstance(item, Heard))
        first = next((message.text for message in heard if message.role is Role.USER), None)
        return Opened(
            ticket_id=source.task or self._run_id,
            customer_id="",
            text=first or "",
            attachments=(),
            profile=IMPORTED,
            today="",
            head=self._head,
            limits={},
            marks=marks,
        )

    def _closed(self) -> Closed:
        replies = [record.reply for _, record in self._records if isinstance(record, Replied)]
        costs = [reply.cost.usd for reply in replies]
        return Closed(
            result=RECORDED,
            resolution=None,
            problems=(),
            steps=self._step,
            calls=sum(isinstance(record, Called) for _, record in self._records),
            tokens_in=_total(reply.usage.tokens_in for reply in replies),
            tokens_out=_total(reply.usage.tokens_out for reply in replies),
            cost_usd=sum((usd for usd in costs if usd is not None), Decimal(0)),
            cost_complete=None not in costs,
            seconds_us=self._at_us,
        )

    def _unknown(self) -> frozenset[Unknown]:
        items = self._run.items
        replies = [item.reply for item in items if isinstance(item, Spoke)]
        answers = [item for item in items if isinstance(item, Answered)]
        tokens = [(reply.usage.tokens_in, reply.usage.tokens_out) for reply in replies]
        found = {
            Unknown.TIME: any(reply.latency_us is None for reply in replies),
            Unknown.TOKENS: any(None in pair for pair in tokens),
            Unknown.COST: any(reply.cost.state is not CostState.KNOWN for reply in replies),
            Unknown.OUTCOMES: any(answer.outcome is None for answer in answers),
            Unknown.TOOL_TIME: self._open.left > 0 or any(each.took_us is None for each in answers),
            Unknown.RESULTS: self._open.left > 0,
            Unknown.MODEL: not self._run.model and any(not reply.model for reply in replies),
        }
        return self._run.unknown | {name for name, holds in found.items() if holds}


def _head(run: ImportedRun) -> RequestHead:
    return RequestHead(
        model=run.model, tools=run.tools, tool_choice=None, response_format=None, max_tokens=0
    )


def _total(counts: Iterator[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
