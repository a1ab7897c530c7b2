"""An outbox beside a small workspace whose time is the poster's."""

from __future__ import annotations

from pathlib import Path

from approvals.store import Writer, connect, migrate, tx
from bot.slack import SLACK_MIGRATIONS
from bot.slack.calls import Calls, web_client
from bot.slack.intake import Us
from bot.slack.poster import Poster
from bot.slack.store.outbox import count_posts, failed_posts, put_post
from bot.slack.store.posts import Post, PostState
from bot.slack.troubles import Troubles
from bot.workspace import HeldClock, Identity, Message, Workspace

CHANNEL, OTHER = "C0SUPPORT", "C0SECOND"
BOT, ANN, OUT = Identity().bot_user, "U0ANN", "U0OUT"
SECOND_US = 1_000_000


class Desk:
    """A store with an outbox, a poster, and a workspace whose time is the poster's."""

    def __init__(self, store: Path, workspace: Workspace, clock: HeldClock) -> None:
        self.workspace = workspace
        self.clock = clock
        self.db = connect(store)
        migrate(self.db, [SLACK_MIGRATIONS])
        self.writer = Writer(store)
        self.calls = Calls(web_client(Identity().bot_token, api=workspace.base_url))
        self.start()
        self.ticket = workspace.post(ANN, "Where is my parcel?", channel=CHANNEL, deliver=False)

    def start(self) -> None:
        """Begin as a new process: what a poster remembers is gone."""
        me = Identity()
        self.poster = Poster(
            self.calls,
            Us(user_id=me.bot_user, bot_id=me.bot_id),
            writer=self.writer,
            now_us=self.now_us,
            troubles=Troubles(),
        )

    def close(self) -> None:
        self.writer.close()
        self.db.close()

    def now_us(self) -> int:
        return int(self.clock.now() * SECOND_US)

    def put(self, *posts: Post) -> None:
        """Store posts."""
        with tx(self.db):
            for post in posts:
                put_post(self.db, post, now_us=self.now_us())

    def say(self, text: str, *, key: str | None = None, channel: str = CHANNEL) -> Post:
        """Return a reply in the ticket's thread, or a message of another channel."""
        return Post(
            channel=channel,
            key=key or text,
            payload={"text": text},
            thread_ts=self.ticket.ts if channel == CHANNEL else None,
        )

    def post(self, *posts: Post) -> None:
        """Store posts and let the poster take one step."""
        self.put(*posts)
        self.poster.step(self.db)

    def work(self, seconds: float = 120) -> None:
        """Let the poster work for some seconds of its clock."""
        end_us = self.now_us() + int(seconds * SECOND_US)
        while (due_us := self.poster.step(self.db)) is not None and due_us <= end_us:
            self.workspace.advance((due_us - self.now_us()) / SECOND_US)
        self.workspace.advance(max(0, end_us - self.now_us()) / SECOND_US)

    def thread(self) -> list[str]:
        """Return what the bot said in the thread."""
        return [each.text for each in self.replies()]

    def replies(self) -> list[Message]:
        return [each for each in self.workspace.replies(self.ticket) if each.user == BOT]

    def count(self, state: PostState) -> int:
        return count_posts(self.db)[state]

    def failures(self) -> list[tuple[str, str | None]]:
        return [(each.key, each.error) for each in failed_posts(self.db)]
