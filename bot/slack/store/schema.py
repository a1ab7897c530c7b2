"""The tables of the Slack side: one migration set on the store, continued and never edited.

Who writes what: the gate and the catch-up write ``inbox``; intake workers write ``tickets`` and
``replies``; a run writes ``threads`` and ``spending``; the deciders write ``feedback`` and
``drafts``; everything that is to be posted is a row of ``outbox``, in the commit that causes it,
and the poster alone moves such a row on.

All times are whole microseconds since 1970 (UTC). A ``ts`` is Slack's own text form, and with its
channel it names a message; a team id is never part of a key.
"""

from __future__ import annotations

from typing import Final

from approvals.store import Migration, MigrationSet, script

__all__ = ["SLACK_MIGRATIONS"]

# inbox.delivery_key is Slack's event id, or a click's own key; subject_key names what it is about
# ("message:C1:1700000000.000100"), so that one message is stored once, however it came.
#
# outbox.target_key: for chat.update, the key of the row whose message is changed; the row waits
# until that one has its ts. supersedes_key: a stream of states of one thing (the status line of a
# run, a card): of the rows of a stream that are still ready, only the newest is worth sending.
# outbox.priority: higher first; 0 progress, 5 notes, 9 final states and cards.
_FIRST: Final = """
CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY,
    delivery_key TEXT NOT NULL UNIQUE,
    subject_key TEXT UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'click', 'submission', 'command', 'shortcut',
        'home', 'lifecycle')),
    payload TEXT NOT NULL,
    received_us INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at_us INTEGER NOT NULL DEFAULT 0,
    error TEXT
) STRICT;
CREATE INDEX inbox_new ON inbox (seq) WHERE state = 'new';
CREATE INDEX inbox_dead ON inbox (seq) WHERE state = 'dead';

CREATE TABLE tickets (
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    ticket_id TEXT NOT NULL,
    customer_id TEXT,
    text TEXT NOT NULL,
    attachments TEXT NOT NULL DEFAULT '[]',
    posted_by TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'waiting_for_customer_id', 'cancelled',
        'closed')),
    version INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
    created_us INTEGER NOT NULL,
    PRIMARY KEY (channel, ts),
    CHECK (customer_id IS NOT NULL OR state IN ('waiting_for_customer_id', 'cancelled'))
) STRICT;
CREATE UNIQUE INDEX tickets_live ON tickets (ticket_id) WHERE state != 'cancelled';
CREATE INDEX tickets_by_age ON tickets (created_us);

CREATE TABLE replies (
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    thread_ts TEXT NOT NULL,
    user_id TEXT NOT NULL,
    text TEXT NOT NULL,
    to_us INTEGER NOT NULL CHECK (to_us IN (0, 1)),
    used_by_run TEXT,
    PRIMARY KEY (channel, ts)
) STRICT;
CREATE INDEX replies_by_thread ON replies (channel, thread_ts, ts);

CREATE TABLE threads (
    run_id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    thread_ts TEXT NOT NULL,
    status_ts TEXT,
    draft_ts TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'ended', 'cancelled')),
    cause TEXT,
    CHECK ((state = 'cancelled') = (cause IS NOT NULL))
) STRICT;
CREATE INDEX threads_by_thread ON threads (channel, thread_ts);

CREATE TABLE cards (
    proposal_id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    thread_ts TEXT NOT NULL,
    ts TEXT,
    shown_version INTEGER,
    shown_state TEXT
) STRICT;

CREATE TABLE outbox (
    outbox_id INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    thread_ts TEXT,
    method TEXT NOT NULL,
    payload TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    target_key TEXT,
    supersedes_key TEXT,
    priority INTEGER NOT NULL DEFAULT 5,
    state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'sending', 'sent', 'failed',
        'skipped')),
    ts TEXT,
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at_us INTEGER NOT NULL,
    error TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (channel, next_at_us) WHERE state IN ('ready', 'sending');
CREATE INDEX outbox_streams ON outbox (supersedes_key, outbox_id)
    WHERE supersedes_key IS NOT NULL;
CREATE INDEX outbox_failed ON outbox (outbox_id) WHERE state = 'failed';

CREATE TABLE cursor (
    name TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE feedback (
    feedback_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    text TEXT
) STRICT;
CREATE INDEX feedback_by_run ON feedback (run_id, at_us);

CREATE TABLE drafts (
    run_id TEXT PRIMARY KEY,
    edited_text TEXT NOT NULL,
    edited_by TEXT NOT NULL,
    at_us INTEGER NOT NULL
) STRICT;

CREATE TABLE spending (
    run_id TEXT PRIMARY KEY,
    started_us INTEGER NOT NULL,
    cost_usd TEXT
) STRICT;
CREATE INDEX spending_by_time ON spending (started_us);

CREATE TABLE held (
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    reason TEXT NOT NULL,
    since_us INTEGER NOT NULL,
    PRIMARY KEY (channel, ts)
) STRICT;

CREATE TABLE switches (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    set_by TEXT NOT NULL,
    at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

# What is sent next is chosen from these alone: without the first, each row that waits was held
# against every row that was ever sent.
_NEXT_POST: Final = """
CREATE INDEX outbox_doubt ON outbox (channel, thread_ts, outbox_id) WHERE state = 'sending';
CREATE INDEX outbox_next ON outbox (priority DESC, outbox_id, next_at_us, method, channel,
    thread_ts, target_key) WHERE state IN ('ready', 'sending');
"""

# From here on a row loses its words when it is done with; those of before lose them now.
_WORDS_GO: Final = """
UPDATE outbox SET payload = '{}' WHERE state IN ('sent', 'skipped');
UPDATE inbox SET payload = '{}' WHERE state = 'done';
"""

# tickets.text_ts: Slack's time stamp of the text, which an edit must be newer than.
# tickets.customer_given: said with the button, so a message without a customer leaves it alone.
# Of tickets of before it is not known where their ids came from. Where somebody else than who
# posted it brought it to us, a form was filled in; an app's may have had metadata.
_IDS_FROM: Final = """
ALTER TABLE tickets ADD COLUMN source TEXT NOT NULL DEFAULT 'header'
    CHECK (source IN ('header', 'form', 'metadata', 'shortcut'));
ALTER TABLE tickets ADD COLUMN customer_given INTEGER NOT NULL DEFAULT 0
    CHECK (customer_given IN (0, 1));
ALTER TABLE tickets ADD COLUMN text_ts TEXT NOT NULL DEFAULT '';
UPDATE tickets SET source = 'metadata' WHERE posted_by GLOB 'B*' OR posted_by GLOB 'Wf*';
UPDATE tickets SET source = 'shortcut' WHERE opened_by != posted_by;
"""

# Runs that ended and whose recording is to be written. With the file there, the row goes.
_RECORDINGS: Final = """
CREATE TABLE recordings_owed (
    run_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
"""

SLACK_MIGRATIONS: Final = MigrationSet(
    name="slack",
    migrations=(
        Migration(number=1, name="inbox, tickets, threads, outbox", apply=script(_FIRST)),
        Migration(number=2, name="indexes of the next post", apply=script(_NEXT_POST)),
        Migration(number=3, name="words go with what is done", apply=script(_WORDS_GO)),
        Migration(number=4, name="where a ticket's ids came from", apply=script(_IDS_FROM)),
        Migration(number=5, name="recordings that are owed", apply=script(_RECORDINGS)),
    ),
)
