"""Raw text in a message: escaped once, disarmed, bounded after escaping."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from bot.slack.markup import body, cut_at, date, escape, fact, fenced, line, link, mention, tame

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
TEXTS = st.one_of(
    st.text(max_size=400),
    st.text(alphabet="<>&!@#|*`\n aA\u202e\u0301" + FAMILY, max_size=400),
)


def test_what_slack_would_act_on_is_escaped() -> None:
    assert escape("<!here> <@U1> <https://evil.test|bank> &amp;") == (
        "&lt;!here&gt; &lt;@U1&gt; &lt;https://evil.test|bank&gt; &amp;amp;"
    )


@pytest.mark.parametrize("word", ["@here", "@channel", "@everyone", "@Channel"])
def test_a_bare_call_to_everybody_is_taken_apart(word: str) -> None:
    assert word not in escape(f"hello {word}!")
    assert escape("me@channelnews.test") == "me@channelnews.test"


def test_a_cut_text_says_how_long_it_was() -> None:
    shown = body("a" * 500, 100)

    assert len(shown) <= 100
    assert shown.endswith("\u2026 (500 characters in all)")


@pytest.mark.parametrize(("length", "cut"), [(99, False), (100, False), (101, True)])
def test_a_text_is_cut_beyond_its_limit_and_not_at_it(length: int, cut: bool) -> None:
    assert ("\u2026" in body("a" * length, 100)) is cut
    assert ("\u2026" in line("a" * length, 100)) is cut


def test_case_57_a_size_is_counted_after_escaping() -> None:
    assert body("&" * 20, 100) == "&amp;" * 20
    assert body("&" * 21, 100).endswith("(21 characters in all)")


def test_case_57_a_family_is_not_cut_apart() -> None:
    assert cut_at(FAMILY * 3, 12) == 10
    assert cut_at("ab" + FAMILY, 4) == 2


def test_case_57_nothing_turns_an_amount_around() -> None:
    assert fact("\u202e119.00 CAD\u202c") == "`\ufffd119.00 CAD\ufffd`"
    arabic = "\u0645\u0628\u0644\u063a 119.00"
    assert fact(arabic) == f"`\u2068{arabic}\u2069`"


def test_an_entity_is_not_cut_apart() -> None:
    assert cut_at("abc&amp;d", 5) == 3
    assert cut_at("abc&amp;d", 8) == 8


def test_one_character_longer_than_the_room_is_cut_all_the_same() -> None:
    assert cut_at("e" + "\u0301" * 50, 10) == 10


def test_lines_become_one_line() -> None:
    assert line(" a\r\n\tb \n c ", 20) == "a b c"


def test_a_fact_cannot_leave_its_code_span() -> None:
    assert fact("a`*b*`<!here>") == "`a\u02cb*b*\u02cb&lt;!here&gt;`"
    assert fact("") == "`\ufffd`"


def test_a_fence_inside_cannot_end_the_block() -> None:
    shown = fenced("a\n```\n*b*", 100)

    assert shown == "```\na\n\u02cb\u02cb\u02cb\n*b*\n```"


def test_only_ids_become_mentions() -> None:
    assert mention("U0ABC") == "<@U0ABC>"
    assert mention("S0ABC") == "<!subteam^S0ABC>"
    assert mention("!channel") == "`!channel`"
    assert mention("operator@host") == "`operator@host`"


def test_a_date_is_readable_without_slack_too() -> None:
    shown = date(1_791_500_000_000_000)

    assert shown == "<!date^1791500000^{date_short_pretty} {time}|2026-10-08 22:53 UTC>"


def test_only_a_web_address_becomes_a_link() -> None:
    assert link("https://x.slack.com/p1", "open") == "<https://x.slack.com/p1|open>"
    assert link("javascript:x", "open") == "open"
    assert link("https://x|<!here>", "open") == "open"


@given(text=TEXTS, most=st.integers(40, 300))
def test_every_text_stays_within_its_size_and_calls_nobody(text: str, most: int) -> None:
    for shown in (body(text, most), line(text, most), fact(text, most), fenced(text, most)):
        assert len(shown) <= most
        assert not re.search(r"[<>]", shown)
        assert not re.search(r"&(?!(amp|lt|gt);)", shown)


@given(text=TEXTS)
def test_what_fits_is_shown_unchanged(text: str) -> None:
    shown = unescape(escape(tame(text))).replace("\u2060", "")

    assert shown == unescape(tame(text).replace("&", "&amp;")).replace("\u2060", "")


@given(text=TEXTS, most=st.integers(1, 60))
def test_a_cut_is_between_characters(text: str, most: int) -> None:
    escaped = escape(tame(text))
    place = cut_at(escaped, most)
    borders = {0}
    for grapheme in iter_graphemes(escaped):
        borders.add(max(borders) + len(grapheme))

    assert place <= max(most, 0)
    assert place in borders or place == most
    assert not escaped or place > 0


@given(text=TEXTS)
def test_nothing_hidden_is_left_in_a_fact(text: str) -> None:
    kept = fact(text).strip("`").strip("\u2068\u2069")

    assert not [char for char in kept if unicodedata.category(char) in ("Cf", "Cc")]
