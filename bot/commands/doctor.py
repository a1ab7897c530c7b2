"""``handrail doctor``: looks at everything that the bot needs, and says what to do."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from approvals import PolicyRefused
from bot.commands.common import json_option, say, setting_option, settings_with
from bot.errors import BotError
from bot.places import environment

if TYPE_CHECKING:
    from bot.doctor.findings import Finding

__all__ = ["doctor"]


@click.command()
@click.option("--offline", is_flag=True, help="Do not ask Slack.")
@json_option
@setting_option("store")
def doctor(*, offline: bool, as_json: bool, store: Path | None) -> int:
    """Look at everything that the bot needs, and say what to do where something is wrong.

    Tokens, scopes, channels, who may approve, operators, the price of the model, the store, its
    disk and who runs the jobs. Nothing is changed, and no secret is shown. The status is 1 where
    there is a problem; a warning alone is none.

    \b
    Examples:
      handrail doctor
      handrail doctor --offline --json
    """
    # Slack's libraries take their time to load, and the other commands do without.
    from bot.doctor.findings import Level
    from bot.doctor.show import as_json as json_of
    from bot.doctor.show import lines_of, summary_of

    findings = []
    for finding in _examine(store, offline=offline):
        findings.append(finding)
        if not as_json:
            say(lines_of(finding))
    if as_json:
        click.echo(json.dumps(json_of(findings), indent=2, ensure_ascii=False))
    else:
        click.echo(summary_of(findings))
    return int(any(each.level is Level.PROBLEM for each in findings))


def _examine(store: Path | None, *, offline: bool) -> Iterator[Finding]:
    from bot.doctor.configured import refused_settings
    from bot.doctor.examine import examine_here, examine_slack
    from bot.doctor.findings import warning

    try:
        settings = settings_with({"store": store})
        environ = environment()
    except (BotError, PolicyRefused) as error:
        yield from refused_settings(error)
        return
    yield from examine_here(settings)
    if offline:
        yield warning("slack", "tokens, scopes, channels and people were not looked at: --offline")
    else:
        yield from examine_slack(settings, environ)
