"""``handrail doctor`` at a real loopback workspace: one thing is broken at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import gaierror
from typing import Any
from urllib.error import URLError

import pytest
from click.testing import Result

from approvals.store import ServeLock
from bot.slack.calls import Calls, Lost, web_client
from bot.slack.errors import SlackUnreachable
from bot.slack.identity import ask_identity
from bot.slack.lost import lost_text
from bot.slack.manifest import SCOPES, manifest, manifest_text
from bot.workspace import Channel, Group, Identity, User, Workspace
from tests.bot.conftest import Cli

CHANNEL = "C0SUPPORT"
BOT = Identity().bot_user
ANN, BEN, LEA, GUS = "U0ANN", "U0BEN", "U0LEA", "U0GUS"
APP_TOKEN = "xapp-1-A0HANDRAIL-1-local"
ROLES = """
[approvals]
currency = "CAD"
[approvals.roles.agent]
limit = "100.00"
users = ["U0BEN"]
[approvals.roles.head]
limit = "none"
users = ["U0LEA"]
groups = ["S0HEADS"]
"""

Doctor = Callable[..., Result]


def make_workspace(**identity: Any) -> Workspace:
    """Return a workspace where everything is as the settings below say."""
    given = {"app_token": APP_TOKEN, "scopes": frozenset(SCOPES), **identity}
    return Workspace(
        users=[
            *(User(id=each, name=each[2:].lower()) for each in (ANN, BEN, LEA)),
            User(id=GUS, name="gus", is_restricted=True),
        ],
        groups=[Group(id="S0HEADS", handle="heads", members=(ANN,))],
        channels=[
            Channel(id=CHANNEL, name="support", members=(ANN, BEN, BOT)),
            Channel(id="C0LOBBY", name="lobby", members=(ANN,)),
            Channel(id="C0ATTIC", name="attic", members=(ANN, BOT), is_archived=True),
            Channel(id="C0FAIR", name="fair", members=(ANN, BOT), is_ext_shared=True),
            Channel(id="C0CELLAR", name="cellar", members=(ANN,), is_private=True),
        ],
        identity=Identity(**given),
    )


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A workspace where all is well."""
    with make_workspace() as place:
        yield place


@pytest.fixture
def doctor(cli: Cli, home: Path) -> Doctor:
    """Write settings for a workspace and call the doctor."""

    def call(
        place: Workspace,
        *args: str,
        slack: str = f'channels = ["{CHANNEL}"]\noperators = ["U0LEA"]',
        rest: str = ROLES,
        **env: str,
    ) -> Result:
        text = f'[slack]\napi = "{place.base_url}"\n{slack}\n{rest}'
        (home / "handrail.toml").write_text(text, encoding="utf-8")
        tokens = {"SLACK_BOT_TOKEN": "xoxb-local-bot", "SLACK_APP_TOKEN": APP_TOKEN, **env}
        return cli("doctor", *args, **tokens)

    return call


def lines(result: Result, level: str) -> list[str]:
    """Return the findings of a level, without it."""
    found = [each.split(maxsplit=1) for each in result.stdout.splitlines()]
    return [" ".join(rest.split()) for first, *[rest] in found[:-1] if first == level]


def advice(result: Result, what: str) -> str:
    """Return what to do about the finding that holds these words."""
    printed = result.stdout.splitlines()
    at = next(n for n, each in enumerate(printed) if what in each)
    return printed[at + 1].partition("->")[2].strip()


def test_where_all_is_well_it_says_so_and_leaves_with_0(
    doctor: Doctor, workspace: Workspace
) -> None:
    done = doctor(workspace)

    assert (lines(done, "problem"), done.exit_code) == ([], 0)
    assert "tokens SLACK_BOT_TOKEN: handrail (U0HANDRAIL) in Local (T0LOCAL)" in lines(done, "ok")
    assert "scopes all 10 that the manifest asks for" in lines(done, "ok")
    assert f"channels the bot is in #support ({CHANNEL})" in lines(done, "ok")
    assert "approvals role head: 2 people may approve" in lines(done, "ok")
    assert "operators 1 person found" in lines(done, "ok")


def test_no_token_is_ever_shown(doctor: Doctor, workspace: Workspace) -> None:
    broken = doctor(workspace, SLACK_BOT_TOKEN="xoxp-1-secret", SLACK_APP_TOKEN="tops-secret")

    assert lines(broken, "problem") == [
        "tokens SLACK_BOT_TOKEN is a user's token",
        "tokens SLACK_APP_TOKEN is no token of Slack",
    ]
    assert "secret" not in broken.output
    assert broken.exit_code == 1


def test_a_token_that_is_missing_is_named_and_the_rest_is_still_looked_at(
    doctor: Doctor, workspace: Workspace
) -> None:
    done = doctor(workspace, SLACK_BOT_TOKEN="")

    assert lines(done, "problem") == ["tokens SLACK_BOT_TOKEN is not set"]
    assert "store there is no store" in " ".join(lines(done, "ok"))
    assert workspace.calls() == []


def test_a_revoked_token_is_said_with_what_to_do(doctor: Doctor, workspace: Workspace) -> None:
    workspace.revoke_token()
    done = doctor(workspace)

    assert "tokens SLACK_BOT_TOKEN: auth.test is refused: token_revoked" in lines(done, "problem")
    assert advice(done, "auth.test").startswith("install the app again")


def test_an_app_token_without_its_scope_is_told_apart(doctor: Doctor, workspace: Workspace) -> None:
    workspace.faults.refuse("apps.connections.open", "missing_scope")
    done = doctor(workspace)

    (found,) = lines(done, "problem")
    assert found == "tokens SLACK_APP_TOKEN: apps.connections.open is refused: missing_scope"
    assert "connections:write" in advice(done, "apps.connections.open")


def test_two_tokens_of_two_apps_are_found_out(doctor: Doctor) -> None:
    other = "xapp-1-A0OTHER-1-local"
    with make_workspace(app_token=other) as place:
        done = doctor(place, SLACK_APP_TOKEN=other)

    (found,) = lines(done, "problem")
    assert found == "tokens SLACK_APP_TOKEN is of the app A0OTHER, SLACK_BOT_TOKEN of A0HANDRAIL"


@pytest.mark.parametrize("scope", SCOPES)
def test_each_missing_scope_is_named_with_its_line_of_the_manifest(
    doctor: Doctor, scope: str
) -> None:
    with make_workspace(scopes=frozenset(SCOPES) - {scope}) as place:
        done = doctor(place)

    assert f"scopes {scope} is missing: {SCOPES[scope]}" in lines(done, "problem")
    told = advice(done, f"{scope} is missing")
    number = int(told.partition("(line ")[2].partition(" ")[0])
    assert scope in manifest_text(manifest()).splitlines()[number - 1]


def test_a_scope_too_many_is_a_warning(doctor: Doctor) -> None:
    with make_workspace(scopes=frozenset(SCOPES) | {"files:write"}) as place:
        done = doctor(place)

    assert "scopes more than handrail needs: files:write" in lines(done, "warning")
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("channel", "what"),
    [
        ("C0LOBBY", "the bot is not in #lobby (C0LOBBY)"),
        ("C0ATTIC", "#attic (C0ATTIC) is archived"),
        ("C0CELLAR", "C0CELLAR: conversations.info is refused: channel_not_found"),
        ("C0NOWHERE", "C0NOWHERE: conversations.info is refused: channel_not_found"),
    ],
)
def test_a_channel_where_nothing_would_work_is_a_problem(
    doctor: Doctor, workspace: Workspace, channel: str, what: str
) -> None:
    done = doctor(workspace, slack=f'channels = ["{CHANNEL}", "{channel}"]')

    assert lines(done, "problem") == [f"channels {what}"]
    assert advice(done, what)


def test_a_channel_shared_with_another_company_is_a_warning(
    doctor: Doctor, workspace: Workspace
) -> None:
    done = doctor(workspace, slack='channels = ["C0FAIR"]')

    assert "#fair (C0FAIR) is shared with another company" in " ".join(lines(done, "warning"))
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("role", "problems"),
    [
        ("users = []", ["role agent, up to 100.00 CAD: it names nobody, so nobody holds it"]),
        ('users = ["U0GUS"]', ["role agent: nobody who holds it may"]),
        ('users = ["U0GONE"]', ["role agent: nobody who holds it may"]),
        ('groups = ["S0NONE"]', ["role agent: nobody who holds it may"]),
        ('groups = ["S0HEADS"]', []),
    ],
)
def test_a_role_that_nobody_can_use_is_a_problem(
    doctor: Doctor, workspace: Workspace, role: str, problems: list[str]
) -> None:
    table = f'[approvals]\ncurrency = "CAD"\n[approvals.roles.agent]\nlimit = "100.00"\n{role}'
    done = doctor(workspace, rest=table)

    assert lines(done, "problem") == [f"approvals {each}" for each in problems]


def test_without_an_approvals_table_nobody_may_approve_and_that_is_said(
    doctor: Doctor, workspace: Workspace
) -> None:
    done = doctor(workspace, rest="")

    assert "approvals nobody may approve anything" in " ".join(lines(done, "warning"))
    assert done.exit_code == 0


def test_two_people_are_asked_for_and_only_one_may(doctor: Doctor, workspace: Workspace) -> None:
    table = '[approvals]\ncurrency = "CAD"\ntwo_people_above = "50.00"\n'
    role = '[approvals.roles.head]\nlimit = "none"\nusers = ["U0LEA"]'
    done = doctor(workspace, rest=table + role)

    (found,) = lines(done, "problem")
    assert found.endswith("two different people must approve, and only U0LEA may")


def test_operators_who_are_not_there_are_a_problem(doctor: Doctor, workspace: Workspace) -> None:
    done = doctor(workspace, slack=f'channels = ["{CHANNEL}"]\noperators = ["U0GUS"]')

    assert lines(done, "problem") == ["operators none of those named is a full member here"]


@pytest.mark.parametrize(
    ("rest", "level", "what"),
    [
        ('[models."new"]\nfree = true', "ok", "new is counted as free of cost"),
        (
            '[models."new"]\nbase_url = "https://api.openai.com/v1"\nid = "gpt-4o-mini"',
            "ok",
            "new is priced by genai-prices",
        ),
        (
            '[models."new"]\nbase_url = "http://127.0.0.1:9"\nusd_in = 5\nusd_out = 10',
            "ok",
            "new costs 5 USD in, 10 USD out, per million tokens, by the settings",
        ),
        (
            '[models."new"]\nbase_url = "http://127.0.0.1:9"\nid = "chat-small"',
            "problem",
            "new has no price",
        ),
        ("", "problem", "new has no price, so the cost of a run is unknown, and a limit of cost"),
        ('[limits]\nmax_cost_usd = "none"', "warning", "new has no price, so the cost of a run"),
    ],
)
def test_a_model_without_a_price_is_told(
    doctor: Doctor, workspace: Workspace, rest: str, level: str, what: str
) -> None:
    done = doctor(workspace, rest=f"{ROLES}\n{rest}", HANDRAIL_MODEL="new")

    assert what in " ".join(lines(done, level))


def test_a_shipped_price_is_told_with_its_day(doctor: Doctor, workspace: Workspace) -> None:
    told = " ".join(lines(doctor(workspace, "--offline", rest=ROLES), "ok"))

    assert "per million tokens, by the shipped prices of 2026-10-08" in told


def test_a_day_that_stands_still_in_a_shop_that_moves_is_a_warning(
    doctor: Doctor, workspace: Workspace
) -> None:
    shop = '[shop]\nkind = "http"\nurl = "http://127.0.0.1:9"'
    told = doctor(workspace, "--offline", rest=ROLES + shop, HANDRAIL_TODAY="2026-10-09")
    moving = doctor(workspace, "--offline", rest=ROLES + shop)

    assert "every run assumes the day 2026-10-09" in told.stdout
    assert "every run assumes" not in moving.stdout


def test_who_runs_the_jobs_is_named(doctor: Doctor, workspace: Workspace, home: Path) -> None:
    store = home / "handrail.sqlite3"
    free = doctor(workspace, HANDRAIL_STORE=str(store))
    with ServeLock(store):
        held = doctor(workspace, HANDRAIL_STORE=str(store))

    assert "jobs nobody runs the jobs now; handrail serve does" in lines(free, "ok")
    assert "runs the jobs" in " ".join(lines(held, "ok"))
    assert "jobs process " in " ".join(lines(held, "ok"))


def test_offline_nothing_is_asked_of_slack(doctor: Doctor, workspace: Workspace) -> None:
    done = doctor(workspace, "--offline", SLACK_BOT_TOKEN="")

    assert (workspace.calls(), done.exit_code) == ([], 0)
    assert "were not looked at: --offline" in " ".join(lines(done, "warning"))


def test_a_slack_that_does_not_answer_is_a_problem_and_no_traceback(
    doctor: Doctor, workspace: Workspace
) -> None:
    workspace.faults.break_("auth.test")
    workspace.faults.rate_limit("apps.connections.open", 30)
    done = doctor(workspace)

    assert lines(done, "problem") == ["tokens SLACK_BOT_TOKEN: auth.test got no answer: HTTP 503"]
    assert advice(done, "apps.connections.open") == "try again in 30 s"


def test_a_slack_that_is_not_reached_is_told_with_the_reason(cli: Cli, home: Path) -> None:
    api, why = "http://127.0.0.1:9/api/", "the connection was refused"
    (home / "handrail.toml").write_text(f'[slack]\napi = "{api}"\n{ROLES}', encoding="utf-8")
    done = cli("doctor", SLACK_BOT_TOKEN="xoxb-local-bot", SLACK_APP_TOKEN=APP_TOKEN)
    told = " ".join(done.stdout.split())
    with pytest.raises(SlackUnreachable, match=f"Slack was not reached for auth.test: {why}"):
        ask_identity(Calls(web_client("xoxb-local-bot", api=api)))

    assert f"SLACK_BOT_TOKEN: Slack was not reached for auth.test: {why}" in told
    assert f"SLACK_APP_TOKEN: Slack was not reached for apps.connections.open: {why}" in told
    assert "were not looked up: Slack did not say who the bot is" in told
    assert "URLError" not in told


def test_a_name_that_is_not_found_is_told_as_that() -> None:
    error = URLError(gaierror(-2, "Name or service not known"))

    told = lost_text("auth.test", Lost(code="URLError", error=error))

    assert told == "Slack was not reached for auth.test: the name of its host was not found"


def test_a_setting_that_cannot_be_read_is_the_one_finding(cli: Cli, home: Path) -> None:
    (home / "handrail.toml").write_text("[slack]\nchanels = []", encoding="utf-8")
    done = cli("doctor")

    (found,) = lines(done, "problem")
    assert found.startswith("settings handrail.toml, field slack.chanels: there is no such setting")
    assert advice(done, "chanels") == "did you mean channels?"
    assert done.exit_code == 1


def test_a_script_gets_the_same_as_json(doctor: Doctor, workspace: Workspace) -> None:
    workspace.revoke_token()
    done = doctor(workspace, "--json")
    report = json.loads(done.stdout)

    assert report["problems"] == len([f for f in report["findings"] if f["level"] == "problem"])
    assert {"check", "level", "what", "do"} == set(report["findings"][0])
    assert report["problems"] >= 1
    assert done.exit_code == 1


def test_over_http_the_signing_secret_is_looked_at(doctor: Doctor, workspace: Workspace) -> None:
    http = f'channels = ["{CHANNEL}"]\nmode = "http"'
    missing = doctor(workspace, slack=http, SLACK_APP_TOKEN="")
    odd = doctor(workspace, slack=http, SLACK_SIGNING_SECRET="abc")
    good = doctor(workspace, slack=http, SLACK_SIGNING_SECRET="0f" * 16)

    assert lines(missing, "problem") == ["tokens SLACK_SIGNING_SECRET is not set"]
    assert "is not 32 hex digits" in " ".join(lines(odd, "warning"))
    assert (lines(good, "problem"), workspace.calls("apps.connections.open")) == ([], [])
