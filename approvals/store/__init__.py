"""The store: one SQLite file, its transactions, its writer, its migrations, its jobs.

Everything that opens or writes the file is here; packages above bring their own migration sets
and store modules and get a connection from here.
"""

from approvals.store.connect import check_store, connect
from approvals.store.copies import check_whole, compact, copy_into, set_aside
from approvals.store.foreign import Foreign, read_foreign
from approvals.store.jobs import JOB_MIGRATIONS, Health, Job, Jobs, JobState
from approvals.store.lock import ServeLock
from approvals.store.migrations import (
    Applied,
    Migration,
    MigrationSet,
    migrate,
    pending,
    script,
)
from approvals.store.serve import Handler, JobServer
from approvals.store.tx import assert_no_transaction, changed, data_version, rows, tx
from approvals.store.writer import Writer

__all__ = [
    "JOB_MIGRATIONS",
    "Applied",
    "Foreign",
    "Handler",
    "Health",
    "Job",
    "JobServer",
    "JobState",
    "Jobs",
    "Migration",
    "MigrationSet",
    "ServeLock",
    "Writer",
    "assert_no_transaction",
    "changed",
    "check_store",
    "check_whole",
    "compact",
    "connect",
    "copy_into",
    "data_version",
    "migrate",
    "pending",
    "read_foreign",
    "rows",
    "script",
    "set_aside",
    "tx",
]
