"""The conversation of one run: its head, its messages, and the digest chain over them."""

from __future__ import annotations

from loop.messages import Message, Request, RequestHead, first_digest, next_digest

__all__ = ["Talk"]


class Talk:
    """Collects messages and makes requests; a request's messages are a tuple of its own."""

    def __init__(self, ticket_id: str, head: RequestHead, opening: tuple[Message, ...]) -> None:
        self.head = head
        self._ticket_id = ticket_id
        self._messages: tuple[Message, ...] = ()
        self._pending: list[Message] = list(opening)
        self._digest = first_digest(head)

    def append(self, message: Message) -> None:
        """Add a message to the next request."""
        self._pending.append(message)

    def request(self, step: int) -> tuple[Request, tuple[Message, ...]]:
        """Return the next request and the messages that it has beyond the last one."""
        appended = tuple(self._pending)
        self._pending.clear()
        self._messages += appended
        self._digest = next_digest(self._digest, appended)
        request = Request(
            ticket_id=self._ticket_id,
            step=step,
            head=self.head,
            messages=self._messages,
            digest=self._digest,
        )
        return request, appended
