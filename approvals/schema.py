"""The tables of the approvals: one migration set on the store, continued and never edited."""

from __future__ import annotations

from typing import Final

from approvals.store import Migration, MigrationSet, script

__all__ = ["APPROVAL_MIGRATIONS"]

_FIRST: Final = """
CREATE TABLE proposals (
    proposal_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    ticket_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    rule TEXT,
    version INTEGER NOT NULL CHECK (version >= 1),
    actions TEXT NOT NULL,
    worth TEXT NOT NULL,
    digest TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    round INTEGER NOT NULL CHECK (round >= 1),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'executing', 'done', 'failed',
        'unknown', 'rejected', 'expired', 'withdrawn', 'superseded')),
    cause TEXT,
    created_us INTEGER NOT NULL,
    expires_us INTEGER NOT NULL CHECK (expires_us > created_us),
    warned_us INTEGER,
    decided_by TEXT,
    decided_us INTEGER,
    approved_seq INTEGER,
    made_from TEXT REFERENCES proposals (proposal_id),
    reopened_as TEXT REFERENCES proposals (proposal_id),
    CHECK ((state = 'waiting') = (decided_us IS NULL)),
    CHECK ((decided_by IS NULL) = (decided_us IS NULL)),
    CHECK ((approved_seq IS NOT NULL)
        = (state IN ('approved', 'executing', 'done', 'failed', 'unknown')))
) STRICT;

CREATE UNIQUE INDEX proposals_live ON proposals (fingerprint, round)
    WHERE state IN ('waiting', 'approved', 'executing', 'done', 'unknown');
CREATE INDEX proposals_by_fingerprint ON proposals (fingerprint);
CREATE INDEX proposals_by_ticket ON proposals (ticket_id, created_us);
CREATE INDEX proposals_by_customer ON proposals (customer_id, created_us);
CREATE INDEX proposals_by_state ON proposals (state, created_us);
CREATE INDEX proposals_by_approval ON proposals (customer_id, decided_us)
    WHERE approved_seq IS NOT NULL;
CREATE INDEX proposals_waiting ON proposals (expires_us) WHERE state = 'waiting';

CREATE TABLE requesters (
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    user_id TEXT NOT NULL,
    PRIMARY KEY (proposal_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE earlier_versions (
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    version INTEGER NOT NULL,
    actions TEXT NOT NULL,
    digest TEXT NOT NULL,
    replaced_by TEXT NOT NULL,
    replaced_us INTEGER NOT NULL,
    PRIMARY KEY (proposal_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    version INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'reject')),
    role TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    via TEXT NOT NULL,
    second INTEGER NOT NULL CHECK (second IN (0, 1)),
    digest TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    why_digest TEXT,
    at_us INTEGER NOT NULL,
    PRIMARY KEY (proposal_id, version, user_id, verdict)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_user ON decisions (user_id, at_us);

CREATE TABLE operations (
    operation_id TEXT PRIMARY KEY,
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 4),
    key TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL CHECK (generation >= 1),
    effect TEXT NOT NULL,
    tool TEXT NOT NULL,
    action TEXT NOT NULL,
    request BLOB NOT NULL,
    request_sha256 TEXT NOT NULL,
    gateway TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'executing', 'retry', 'done', 'failed',
        'unknown', 'not_run')),
    attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    owner TEXT,
    first_attempt_us INTEGER,
    last_attempt_us INTEGER,
    next_at_us INTEGER NOT NULL,
    settled_us INTEGER,
    pending INTEGER NOT NULL DEFAULT 0 CHECK (pending IN (0, 1)),
    result TEXT,
    error_code TEXT,
    error_words TEXT,
    UNIQUE (proposal_id, position),
    UNIQUE (effect, generation),
    CHECK ((state = 'executing') = (owner IS NOT NULL)),
    CHECK ((attempt = 0) = (first_attempt_us IS NULL)),
    CHECK ((attempt = 0) = (last_attempt_us IS NULL)),
    CHECK (pending = 0 OR state = 'done')
) STRICT;
CREATE INDEX operations_open ON operations (next_at_us)
    WHERE state IN ('ready', 'executing', 'retry', 'unknown');
CREATE INDEX operations_pending ON operations (settled_us) WHERE pending = 1;

CREATE TABLE texts (
    text_id INTEGER PRIMARY KEY,
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    kind TEXT NOT NULL CHECK (kind IN ('evidence', 'draft', 'why')),
    digest TEXT NOT NULL,
    salt TEXT,
    text TEXT,
    at_us INTEGER NOT NULL,
    erased_us INTEGER,
    CHECK ((text IS NULL) = (erased_us IS NOT NULL)),
    CHECK ((text IS NULL) = (salt IS NULL))
) STRICT;
CREATE INDEX texts_by_proposal ON texts (proposal_id, text_id);
CREATE INDEX texts_by_digest ON texts (digest);

CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    who TEXT NOT NULL,
    via TEXT NOT NULL,
    event TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    operation_id TEXT,
    attempt INTEGER,
    from_state TEXT,
    to_state TEXT,
    digest TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    text_digest TEXT,
    detail TEXT,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_proposal ON audit (proposal_id, seq);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never deleted');
END;
CREATE TRIGGER audit_keeps_words BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never changed');
END;
CREATE TRIGGER audit_keeps_order BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq >= NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'audit rows are only added at the end');
END;
"""

_EPOCHS: Final = """
CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY CHECK (epoch > 1),
    began_us INTEGER NOT NULL
) STRICT;
CREATE TABLE look_ups_due (
    operation_id TEXT PRIMARY KEY REFERENCES operations (operation_id),
    epoch INTEGER NOT NULL REFERENCES epochs (epoch)
) STRICT, WITHOUT ROWID;
"""

_ASKED_BY: Final = """
CREATE TABLE asked_by (
    run_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL REFERENCES proposals (proposal_id),
    PRIMARY KEY (run_id, proposal_id)
) STRICT;
CREATE INDEX asked_by_proposal ON asked_by (proposal_id);
INSERT INTO asked_by (run_id, proposal_id) SELECT run_id, proposal_id FROM proposals;
"""

# Each search has an index that is narrower than "all that waits": of two that bind one column each
# SQLite may take either, and what waits can be thousands.
_SEARCHES: Final = """
DROP INDEX proposals_by_ticket;
DROP INDEX proposals_by_customer;
DROP INDEX proposals_waiting;
CREATE INDEX proposals_by_run ON proposals (run_id, created_us);
CREATE INDEX proposals_by_ticket ON proposals (ticket_id, state, created_us);
CREATE INDEX proposals_by_customer ON proposals (customer_id, state, created_us);
CREATE INDEX proposals_by_expiry ON proposals (state, expires_us);
"""

APPROVAL_MIGRATIONS: Final = MigrationSet(
    name="approvals",
    migrations=(
        Migration(number=1, name="proposals, decisions, operations, audit", apply=script(_FIRST)),
        Migration(number=2, name="epochs of restored backups", apply=script(_EPOCHS)),
        Migration(number=3, name="runs that a proposal stands for", apply=script(_ASKED_BY)),
        Migration(number=4, name="an index for each search of proposals", apply=script(_SEARCHES)),
    ),
)
