"""Redaction: what goes, what stays, and that it is always the same."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.redact import Redactor
from loop.secret_forms import may_hold
from tools import IdForm, IdForms

CANARY = "sk-canary-4f9a2b7c1d"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"my key is {CANARY}, hide it", "my key is [key], hide it"),
        ("api_key=abc123def", "api_key=[key]"),
        ('{"api-key": "abc123def"}', '{"api-key": "[key]"}'),
        ("X-API-Key: abc123def", "X-API-Key: [key]"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: [key]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [key]"),
        ("sent with bearer abc12345", "sent with bearer [key]"),
        ("xoxb-1234567890-abcdef", "[key]"),
        ("write to Anna.Müller+shop@post.example.co.uk.", "write to [email]."),
        ("<mailto:anna@example.com|anna>", "<mailto:[email]|anna>"),
        ("card 4111 1111 1111 1111.", "card [card]."),
        ("card 4111-1111-1111-1111 123", "card [card] 123"),
        ("4111111111111111", "[card]"),
        ("4222222222222", "[card]"),
        ("3782 822463 10005", "[card]"),
        ("6304 0000 0000 0000 000", "[card] 000"),
        ("valid to 2271 4111 1111 1111 1111", "valid to 2271 [card]"),
        ("call (514) 555-1234 today", "call [phone] today"),
        ("call 514-555-1234", "call [phone]"),
        ("call 5145551234", "call [phone]"),
        ("call +1 514 555 1234 on 2026-10-09", "call [phone] on 2026-10-09"),
        ("appelez le 06 12 34 56 78", "appelez le [phone]"),
        ("appelez le 0612345678", "appelez le [phone]"),
        ("appelez le +33 6 12 34 56 78", "appelez le [phone]"),
        ("ring 020 7946 0958", "ring [phone]"),
        # However they are spaced and whatever digits they have
        ("card 4111  1111\t1111\n1111", "card [card]"),
        ("4111/1111/1111/1111, 4111_1111_1111_1111", "[card], [card]"),
        ("4111\u20131111\u20131111\u20131111", "[card]"),
        ("4111 - 1111 - 1111 - 1111", "[card]"),
        ("4111 1111 11111111, 41111111 11111111", "[card], [card]"),
        ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[card]"),
        ("card4111111111111111now", "card[card]now"),
        ("\uff14\uff11\uff11\uff11 1111 1111 1111", "[card]"),
        ("\u0664" + "\u0661" * 15, "[card]"),
        ("4111\u200b1111\u200b1111\u200b1111", "[card]"),
        ("514\u2013555\u20130199, 514 - 555 - 0199, 514/555/0199", "[phone], [phone], [phone]"),
        ("514\u200b555-0199 418-114-5678", "[phone] [phone]"),
        ("0033612345678 or 00 33 6 12 34 56 78 or 0049 30 901820", "[phone] or [phone] or [phone]"),
        ("call 5145551234now", "call [phone]now"),
        ("mon numéro est 5145551234", "mon numéro est [phone]"),
        ("Anna Roy\n5145551234", "Anna Roy\n[phone]"),
        ("anna\uff20example.com, bob@xn--e1afmkfd.xn--p1ai", "[email], [email]"),
        # Keys of other makers, tokens, passwords
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w", "[key]"),
        ("github_pat_11ABCDEFG0abcdefghij_klmnop", "[key]"),
        ("glpat-abcdefghij0123456789", "[key]"),
        ("AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "[key]"),
        ("sk-ant-api03-AbCdEf_123-xyz", "[key]"),
        ("apikey abcd1234efgh5678", "apikey [key]"),
        ("token: abcdef1234567890, secret=zzzzzzzzzz", "token: [key], secret=[key]"),
        ("password: hunter2", "password: [key]"),
        ("Mot de passe : soleil", "Mot de passe : [key]"),
        ("my password is hunter2!", "my password is [key]"),
        ("pwd=hunter22 CVV 123, code PIN : 4821", "pwd=[key] CVV [key], code PIN : [key]"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b", "a [key] b"),
        # What nobody sees
        ("tell\u200b me\U000e0069\U000e0067", "tell me"),
    ],
)
def test_secrets_and_addresses_go(text: str, redacted: str) -> None:
    assert redacted == Redactor().text(text)


@pytest.mark.parametrize(
    "text",
    [
        "LK-581106 T-80001 C-88930 PAY-118342-1 PAY-118342-A SH-118342-1",
        "2026-10-09 09-10-2026 01.10.2026 2026-10-09T12:30:00Z 20261009123045",
        "2026-10-09 2026-10-10 and 01-10-2026 12:30",
        "119.00, 1 234,56 $, 10 000 000.00 dollars and 899",
        "orders 581106 615204 123456",
        "4111 1111 1111 1112 is no card",
        "authorization: 37.45 dollars, authorization: 2026-10-09",
        "the bearer certificate",
        "a task-force, sku BBQ-GR310, ask @anna",
        "tracking 1Z999AA10123456784",
        "[email] [card] [phone] [key]",
        "order 5145550199, model 2234567890, my order number is 5145550199",
        "serial PAY-4111111111111111",
        "sk-organizer-large-desk, a risk-averse-people-only desk",
        "the password is wrong, password reset page, api token question, the secret: something",
        "a pin of 200 mm, a team of 3",
        "\u2764\ufe0f \U0001f469\u200d\U0001f680",
        "",
    ],
)
def test_ids_dates_amounts_and_words_stay_the_same_object(text: str) -> None:
    assert Redactor().text(text) is text


def test_a_text_is_redacted_the_same_whatever_came_before() -> None:
    """A resumed run has not seen the earlier texts, and must come to the same messages."""
    used = Redactor()
    used.text("anna@example.com and 4111 1111 1111 1111")

    assert used.text("bob@example.com, anna@example.com") == "[email], [email]"
    assert Redactor().text("bob@example.com, anna@example.com") == "[email], [email]"


def test_a_value_is_redacted_in_its_keys_and_leaves() -> None:
    value = {"anna@example.com": ["call 514-555-1234", 5, None, {"key": CANARY}], "n": Decimal(1)}

    assert Redactor().value(value) == {
        "[email]": ["call [phone]", 5, None, {"key": "[key]"}],
        "n": Decimal(1),
    }


@pytest.mark.parametrize("number", [4111111111111111, Decimal(4111111111111111)])
def test_a_number_of_a_value_is_looked_at(number: object) -> None:
    redacted = Redactor().value({"card": number, "ids": [number, 551906, True, Decimal("9.95")]})

    assert redacted == {"card": "[card]", "ids": ["[card]", 551906, True, Decimal("9.95")]}


def test_two_keys_that_become_one_are_numbered_and_both_values_stay() -> None:
    redactor = Redactor()
    redacted = redactor.value({"a@example.com": 1, "b@example.com": 2, "[email] 2": 3})

    assert redacted == {"[email]": 1, "[email] 2": 2, "[email] 2 2": 3}
    assert redactor.value(redacted) == redacted


@pytest.mark.parametrize("key", ["phone", "phone_number", "mobile", "home-phone", "Telephone"])
@pytest.mark.parametrize("number", ["5145550199", "555-0199", 5145550199])
def test_a_key_can_say_that_a_bare_number_is_one_to_call(key: str, number: object) -> None:
    redactor = Redactor()

    assert redactor.value({key: number, "serial": "5145550199"}) == {
        key: "[phone]",
        "serial": "5145550199",
    }
    assert redactor.value({key: "none"}) == {key: "none"}


@pytest.mark.parametrize("key", ["api_key", "X-Api-Key", "access_token", "password"])
def test_what_stands_under_a_key_for_keys_goes_whole(key: str) -> None:
    redactor = Redactor()
    redacted = redactor.value({key: "hunter2 and more"})

    assert redacted == {key: "[key]"}
    assert redactor.value(redacted) == redacted
    assert redactor.value({key: ""}) == {key: ""}
    assert redactor.value({key: {"is_set": True}}) == {key: {"is_set": True}}


def test_a_value_with_nothing_to_redact_is_the_same_object() -> None:
    value = {"order_id": "LK-581106", "items": [{"price": "899.00"}], "note": None, "tokens": 3}

    assert Redactor().value(value) is value
    assert Redactor().value(("a", 1))[0] == "a"


def test_parts_with_nothing_to_redact_are_the_same_object() -> None:
    order = {"order_id": "LK-581106"}

    assert Redactor().value({"order": order, "mail": "anna@example.com"})["order"] is order


def test_ids_of_the_shop_stay_even_if_they_look_like_numbers_to_call() -> None:
    forms = IdForms(order=IdForm("[0-9]{10}", "10 digits"))

    assert Redactor(keep=forms).text("order 5145551234") == "order 5145551234"
    assert Redactor(keep=forms).text("call 514-555-1234") == "call [phone]"


def test_the_canary_leaves_by_no_way() -> None:
    redactor = Redactor()
    texts = [f"{CANARY}", f"key={CANARY};", f'"{CANARY}"', f"Bearer {CANARY}", f"x\n{CANARY}\ny"]
    passed = [redactor.text(text) for text in texts]
    passed.append(json.dumps(redactor.value({"error": {CANARY: [CANARY]}, "detail": texts})))

    assert "canary" not in "".join(passed)
    assert passed[-1].count("[key]") == 2 + len(texts)


PIECES = st.lists(
    st.sampled_from(
        ["anna@example.com", "4111 1111 1111 1111", "514-555-1234", CANARY, "bearer abc12345",
         "api_key=abc123", "LK-581106", "2026-10-09", "+", "1", " ", "-", ".", "(", "@", "\ud800",
         "5145551234", "call ", "password: ", "token=", "00 33 6 12 34 56 78", "\u2013", "\u200b",
         "PIN: ", "\uff11", "\n", "is ", "eyJ", "secret: "]
    ) | st.text(max_size=5),
    max_size=15,
).map("".join)  # fmt: skip


@given(st.lists(PIECES, max_size=4))
def test_redaction_is_stable_and_done_once(texts: list[str]) -> None:
    first, second = Redactor(), Redactor()
    redacted = [first.text(text) for text in texts]

    assert redacted == [second.text(text) for text in texts]
    assert redacted == second.value(list(texts))
    assert redacted == [second.text(text) for text in redacted]


@given(st.lists(st.sampled_from(["anna@example.com", "514-555-1234", CANARY, "text"]), max_size=6))
def test_what_is_redacted_stays_as_it_is(words: list[str]) -> None:
    redactor = Redactor()
    redacted = redactor.text(" ".join(words))

    assert redactor.text(redacted) == redacted


@pytest.mark.parametrize("text", ["shipping_fee", "a hotel", "rapid", "spinning", "Capital"])
def test_a_mark_inside_another_word_does_not_call_for_a_closer_look(text: str) -> None:
    """Most results hold such words, and a closer look at each of their texts costs."""
    assert not may_hold(text)


@pytest.mark.parametrize("text", ["PIN: 1", '{"pin":"1234"}', "tel 5", "my_api_key=1", "x-api-key"])
def test_a_mark_that_begins_a_word_does(text: str) -> None:
    assert may_hold(text)
