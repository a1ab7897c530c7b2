"""The app manifest: what is asked for is what is used, within Slack's sizes."""

from __future__ import annotations

import json

import pytest

from bot.slack.lifecycle import LIFECYCLE
from bot.slack.manifest import EVENTS, SCOPES, manifest
from bot.slack.refs import CallbackId
from bot.slack.remedies import LETTERS, remedy
from bot.workspace import Identity


def test_with_socket_mode_no_address_is_named() -> None:
    made = manifest()

    assert made["settings"]["socket_mode_enabled"] is True
    assert "request_url" not in json.dumps(made)
    assert '"url"' not in json.dumps(made)


def test_over_http_every_way_in_has_the_address() -> None:
    made = manifest(socket_mode=False, request_url="https://bot.test/slack/events")

    assert json.dumps(made).count("https://bot.test/slack/events") == 3
    assert made["settings"]["socket_mode_enabled"] is False


@pytest.mark.parametrize("url", [None, "", "http://bot.test", "bot.test"])
def test_over_http_an_address_is_needed(url: str | None) -> None:
    with pytest.raises(ValueError, match="https"):
        manifest(socket_mode=False, request_url=url)


@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (35, True), (36, False)])
def test_a_name_has_slacks_length(length: int, fits: bool) -> None:
    if fits:
        assert manifest(name="n" * length)["display_information"]["name"] == "n" * length
    else:
        with pytest.raises(ValueError, match="35"):
            manifest(name="n" * length)


def test_the_texts_are_within_slacks_sizes() -> None:
    about = manifest()["display_information"]

    assert len(about["description"]) <= 140
    assert 175 <= len(about["long_description"]) <= 4_000


def test_each_scope_has_its_purpose_and_none_can_write_but_in_chat() -> None:
    assert all(SCOPES.values())
    assert [scope for scope in SCOPES if scope.endswith(":write")] == ["chat:write"]
    assert {"commands", "metadata.message:read"} <= set(SCOPES)
    assert manifest()["oauth_config"]["scopes"]["bot"] == list(SCOPES)


def test_the_shortcut_and_the_events_are_those_that_the_bot_handles() -> None:
    made = manifest()

    assert made["features"]["shortcuts"][0]["callback_id"] == CallbackId.TRIAGE
    assert made["settings"]["event_subscriptions"]["bot_events"] == sorted(EVENTS)
    assert made["settings"]["org_deploy_enabled"] is False


def test_what_befalls_the_app_is_subscribed_and_has_something_to_do() -> None:
    assert set(LIFECYCLE) < set(EVENTS)
    assert all(remedy(code) != LETTERS for code in LIFECYCLE.values())


def test_the_local_workspace_grants_what_the_manifest_asks_for() -> None:
    assert Identity().scopes == SCOPES.keys()
