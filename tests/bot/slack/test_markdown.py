"""A model's Markdown in Slack: nothing of it acts, nothing of it is lost, everything fits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.markdown import MAX_TABLE_COLUMNS, mrkdwn_parts


def one(markdown: str) -> str:
    """Return the only part."""
    (part,) = mrkdwn_parts(markdown, 3_000)
    return part


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold** and *it* and ~~gone~~ and `code`", "*bold* and _it_ and ~gone~ and `code`"),
        ("# Title **here**", "*Title here*"),
        ("a\nb", "a\nb"),
        ("a\n\nb", "a\n\nb"),
        ("- a\n- b\n  - c", "\u2022 a\n\u2022 b\n    \u2022 c"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("> a\n> b", "> a\n> b"),
        ("```python\nx = 1\n```", "```\nx = 1\n```"),
        ("```\nopen", "```\nopen\n```"),
        ("**\u6f22\u5b57**\u6f22", "*\u6f22\u5b57*\u200b\u6f22"),
        ("5 * 3 * 2", "5 * 3 * 2"),
        (r"\*no\* a_b_c", "\u2217no\u2217 a_b_c"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&amp;lt;", "&amp;lt;"),
        ("---", "\u2500" * 12),
        ("**a\nb**", "*a b*"),
        ("![a mug](https://x.test/m.png)", "a mug (https://x.test/m.png)"),
        ("```\na ``` b\n```", "```\na \u02cb\u02cb\u02cb b\n```"),
    ],
)
def test_markdown_becomes_mrkdwn(markdown: str, shown: str) -> None:
    assert one(markdown) == shown


@pytest.mark.parametrize(
    "token", ["<!channel>", "<@U0BOSS>", "<#C1>", "<!subteam^S1>", "<!here|x>"]
)
@pytest.mark.parametrize(
    "place", ["{}", "**{}**", "`{}`", "```\n{}\n```", "- {}", "|a|\n|-|\n|{}|"]
)
def test_no_token_survives_anywhere(token: str, place: str) -> None:
    assert "<" not in one(place.format(token))


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[your order](https://shop.test/o)", "your order (https://shop.test/o)"),
        ("[https://bank.test](https://evil.test)", "https://evil.test"),
        ("[bank.test/login](https://evil.test)", "https://evil.test"),
        ("[go to bank.test now](https://evil.test)", "https://evil.test"),
        ("<https://shop.test/o>", "https://shop.test/o"),
        ("[](https://evil.test)", "https://evil.test"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("<https://evil.test|https://bank.test>", "https://evil.test%7Chttps://bank.test"),
    ],
)
def test_case_55_a_link_shows_where_it_leads_and_a_lying_label_is_left_out(
    markdown: str, shown: str
) -> None:
    assert one(markdown) == shown


def test_a_bare_call_to_everybody_is_taken_apart() -> None:
    assert "@here" not in one("hi @here and **@channel**")


def test_an_entity_for_a_direction_override_is_made_visible() -> None:
    assert one("a&#x202e;b") == "a\ufffdb"


def test_case_53_a_table_becomes_columns_that_line_up() -> None:
    shown = one("| item | price |\n|-|-:|\n| \u65e5\u672c | 1 |\n| mug `x` | 119.00 |")

    assert shown == ("```\nitem  | price\n------+-------\n\u65e5\u672c  | 1\nmug x | 119.00\n```")


def test_a_table_too_wide_for_columns_becomes_a_list() -> None:
    wide = "w" * MAX_TABLE_COLUMNS

    assert one(f"| a | b |\n|-|-|\n| 1 | {wide} |") == f"\u2022 a: 1; b: {wide}"


def test_case_53_two_tables_stay_two() -> None:
    table = "| a |\n|-|\n| 1 |"

    assert one(f"{table}\n\ntext\n\n{table}").count("```") == 4


def test_code_in_a_list_keeps_its_place() -> None:
    assert one("- a\n\n  ```\n  x\n  ```\n- b") == "\u2022 a\n\n```\nx\n```\n\n\u2022 b"


@pytest.mark.parametrize("length", [2_999, 3_000, 3_001, 9_000, 45_000])
def test_a_long_text_is_split_and_nothing_is_lost(length: int) -> None:
    parts = mrkdwn_parts("word " * (length // 5) + "w" * (length % 5), 3_000)

    assert max(map(len, parts)) <= 3_000
    assert "".join(parts).count("word") == length // 5


def test_case_52_a_fence_over_a_border_is_closed_and_opened_again() -> None:
    parts = mrkdwn_parts("before\n\n```python\n" + "x = 1\n" * 600 + "```\nafter", 3_000)

    assert len(parts) > 1
    assert [part.count("```") for part in parts if "x = 1" in part] == [2] * (len(parts) - 1)
    assert "".join(parts).count("x = 1") == 600


def test_nothing_becomes_no_part() -> None:
    assert mrkdwn_parts(" \n ", 3_000) == []


SIGNS = '<>&!@#|*_~`[]()\n -+>1.\\"ax\u202e\u0301\u6f22\U0001f469\u200d\U0001f467'
WORDS = ["```", "| a | b |\n|-|-|\n", "<!channel>", "[x](http://e.t)", "**", "\n> ", "\n- ", "&lt;"]
MARKDOWN = st.one_of(
    st.text(max_size=600),
    st.text(alphabet=SIGNS, max_size=600),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(alphabet=SIGNS, max_size=20))).map("".join),
)


@given(markdown=MARKDOWN, most=st.integers(100, 400))
def test_whatever_the_markdown_every_part_fits_and_nothing_acts(markdown: str, most: int) -> None:
    for part in mrkdwn_parts(markdown, most):
        assert 1 <= len(part) <= most
        assert part.strip()
        assert "<" not in part
        assert part.count("```") % 2 == 0
        assert not re.search(r"&(?!(amp|lt|gt);)", part)
        assert not re.search(r"@(here|channel|everyone)\b", part)


@given(words=st.lists(st.text(alphabet="abcxyz\u6f22\u05d0", min_size=1, max_size=9), max_size=90))
def test_every_word_arrives(words: list[str]) -> None:
    parts = mrkdwn_parts(" ".join(words), 100)

    assert " ".join(parts).split() == words
