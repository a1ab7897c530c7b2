"""The SQLite log of the tool ``llm``, in both of its layouts."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loop import Asked, Role
from recordings import RecordingUnreadable, Unknown
from tests.recordings.importers.bringing import bring
from tools import Kind

OLD = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
    conversation_id TEXT, duration_ms INTEGER, datetime_utc TEXT, input_tokens INTEGER,
    output_tokens INTEGER, resolved_model TEXT);
CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT, description TEXT, input_schema TEXT);
CREATE TABLE tool_responses (tool_id INTEGER, response_id TEXT);
CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT,
    tool_call_id TEXT);
CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, output TEXT,
    tool_call_id TEXT, exception TEXT);
INSERT INTO responses VALUES
    ('r1', 'm', 'Where is LK-1?', 'You help.', '', 'k', 1500, '2026-01-01', 10, 3, 'm-2026'),
    ('r2', 'm', '', NULL, 'It is on its way.', 'k', NULL, '2026-01-01', NULL, NULL, NULL),
    ('r3', 'm', 'alone', NULL, 'Hi.', NULL, 1, '2026-01-01', 1, 1, NULL);
INSERT INTO tools VALUES (1, 'get_order', 'Look up', '{"type": "object"}');
INSERT INTO tool_responses VALUES (1, 'r1'), (1, 'r2');
INSERT INTO tool_calls VALUES (1, 'r1', 'get_order', '{"id": "LK-1"}', NULL);
INSERT INTO tool_results VALUES (1, 'r2', 'get_order', 'Error: no', NULL, 'KeyError: LK-1');
"""
NEW = """
CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE turns (id TEXT PRIMARY KEY, thread_id TEXT, parent_message_hash TEXT,
    tip_message_hash TEXT, model TEXT, resolved_model TEXT, input_tokens INTEGER,
    output_tokens INTEGER, token_details TEXT, duration_ms INTEGER, datetime_utc TEXT);
CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT);
CREATE TABLE parts (id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER, type TEXT,
    text TEXT, payload TEXT);
CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT, description TEXT, input_schema TEXT);
CREATE TABLE turn_tools (turn_id TEXT, tool_id INTEGER);
INSERT INTO threads VALUES ('k', 'Where');
INSERT INTO messages VALUES ('h1', NULL, 'system'), ('h2', 'h1', 'user'), ('h3', 'h2', 'assistant'),
    ('h4', 'h3', 'tool'), ('h5', 'h4', 'assistant');
INSERT INTO parts VALUES (1, 'h1', 0, 'text', NULL,
        '{"text_ref": [{"literal": "Use "}, {"fragment": 1}]}'),
    (2, 'h2', 0, 'text', 'Where is LK-1?', NULL),
    (3, 'h3', 0, 'reasoning', 'Hm.', NULL),
    (4, 'h3', 1, 'tool_call', NULL,
        '{"name": "get_order", "arguments": {"id": "LK-1"}, "tool_call_id": "c1"}'),
    (5, 'h4', 0, 'tool_result', NULL,
        '{"name": "get_order", "output": "shipped", "tool_call_id": "c1"}'),
    (6, 'h5', 0, 'text', 'It is on its way.', NULL);
INSERT INTO fragments VALUES (1, 'the manual.');
INSERT INTO tools VALUES (1, 'get_order', 'Look up', '{"type": "object"}');
INSERT INTO turn_tools VALUES ('t1', 1), ('t2', 1);
INSERT INTO turns VALUES ('t1', 'k', 'h2', 'h3', 'm', NULL, 10, 3, NULL, 1500, '2026-01-01'),
    ('t2', 'k', 'h4', 'h5', 'm', NULL, 20, 4, NULL, 500, '2026-01-02');
"""


def log(folder: Path, script: str) -> Path:
    """Write a log."""
    path = folder / "logs.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
    return path


def test_a_conversation_of_the_older_tables_is_a_run(tmp_path: Path) -> None:
    brought = bring(log(tmp_path, OLD))

    first, last = brought.replies()
    assert (first.calls[0].name, first.calls[0].arguments) == ("get_order", '{"id": "LK-1"}')
    assert (first.latency_us, first.usage.tokens_in, first.model) == (1_500_000, 10, "m-2026")
    assert (last.text, last.latency_us, last.usage.tokens_in) == ("It is on its way.", None, None)
    assert brought.only.ticket_id == "k"


def test_an_exception_that_was_logged_is_a_failure(tmp_path: Path) -> None:
    brought = bring(log(tmp_path, OLD))

    assert [(each.name, each.result) for each in brought.called()] == [("get_order", Kind.FAILED)]


def test_a_log_from_before_there_were_tools_is_read(tmp_path: Path) -> None:
    script = OLD.partition("CREATE TABLE tools")[0] + (
        "INSERT INTO responses VALUES ('r', 'm', 'Hi', '', 'Hello.', 'k', 1, 'x', 1, 1, '');"
    )

    assert bring(log(tmp_path, script)).replies()[0].text == "Hello."


def test_a_thread_of_the_newer_tables_is_a_run(tmp_path: Path) -> None:
    brought = bring(log(tmp_path, NEW))

    first, last = brought.replies()
    assert (first.text, first.calls[0].call_id, first.latency_us) == (None, "c1", 1_500_000)
    assert last.text == "It is on its way."
    assert [(each.text, each.result) for each in brought.called()] == [("shipped", Kind.OK)]
    assert brought.only.unknown == {Unknown.COST, Unknown.TOOL_TIME}
    assert brought.only.opened is not None
    assert [each.name for each in brought.only.opened.head.tools] == ["get_order"]


def test_each_request_holds_what_is_new_and_borrowed_texts_are_whole(tmp_path: Path) -> None:
    brought = bring(log(tmp_path, NEW))

    asked = [e.record for e in brought.only.entries if isinstance(e.record, Asked)]
    assert [[(each.role, each.text) for each in record.appended] for record in asked] == [
        [(Role.SYSTEM, "Use the manual."), (Role.USER, "Where is LK-1?")],
        [(Role.ASSISTANT, None), (Role.TOOL, "shipped")],
    ]


def test_reading_a_log_changes_nothing_of_it(tmp_path: Path) -> None:
    path = log(tmp_path, NEW)
    before = path.read_bytes()

    bring(path)

    assert path.read_bytes() == before


def test_another_database_is_none_of_these(tmp_path: Path) -> None:
    path = log(tmp_path, "CREATE TABLE a (b TEXT);")

    with pytest.raises(Exception, match="none of the forms that are known"):
        bring(path)


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = log(tmp_path, OLD)
    data = bytearray(path.read_bytes())
    data[100:] = b"\xff" * (len(data) - 100)
    path.write_bytes(bytes(data))

    with pytest.raises(RecordingUnreadable, match=r"the database: .* cannot be read"):
        bring(path, format_name="llm")


def test_payloads_that_are_no_json_leave_their_parts_empty(tmp_path: Path) -> None:
    path = log(tmp_path, NEW)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE parts SET payload = 'no json' WHERE id = 4")

    (call,) = bring(path).replies()[0].calls

    assert json.loads(json.dumps([call.name, call.arguments])) == ["", ""]
