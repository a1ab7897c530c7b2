"""What the page shows, what it lets a person do, and what it refuses as Slack does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.desk import Desk, Window
from tests.scenarios.office import ANN, BEN, CHANNEL, HED, LEA, OUT

Open = Callable[..., Window]
HOSTILE = "<img src=x onerror='window.hit=1'> <script>window.hit=1</script> javascript:alert(1)"


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def app_message(desk: Desk, window: Window, *blocks: dict[str, Any], text: str = "app") -> Locator:
    """Let another app post blocks, and return them as the window shows them."""
    posted = desk.workspace.post(
        None, text, channel=CHANNEL, blocks=blocks, bot_id="B0OTHER", username="Other app"
    )
    shown = window.page.locator(f'#messages > li[data-ts="{posted.ts}"]')
    expect(shown).to_be_visible()
    return shown


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def test_mrkdwn_is_shown_as_slack_shows_it(desk: Desk, window: Open) -> None:
    seen = window(BEN)
    text = (
        f"*bold* _slanted_ ~gone~ `co*d*e` 2*3*4 snake_case_name &amp; &lt;b&gt; <@{BEN}> <@{LEA}>"
        f" <#{CHANNEL}> <!subteam^S0HEADS> <!here> <https://example.org/a?b=1&amp;c|a *label*>"
        " <!date^1790000000^{date_num} at {time}|then>\n&gt; quoted\nafter\n```\nfenced *x*\n```"
    )

    shown = app_message(desk, seen, section(text)).locator(".section p").first

    expect(shown.locator("strong")).to_have_text(
        [
            "bold",
        ]
    )
    expect(shown.locator("em")).to_have_text("slanted")
    expect(shown.locator("s")).to_have_text("gone")
    expect(shown.locator("code")).to_have_text("co*d*e")
    expect(shown).to_contain_text("2*3*4 snake_case_name & <b>")
    expect(shown.locator(".mention")).to_have_text(["@ben", "@lea", "#support", "@heads", "@here"])
    expect(shown.locator(".mention.mine")).to_have_text("@ben")
    expect(shown.locator("a")).to_have_attribute("href", "https://example.org/a?b=1&c")
    expect(shown.locator("a")).to_have_text("a *label*")
    expect(shown.locator("time")).to_have_attribute("title", "then")
    expect(shown.locator("blockquote")).to_have_text("quoted")
    expect(shown.locator("pre")).to_have_text("fenced *x*")


def test_every_kind_of_block_is_shown(desk: Desk, window: Open) -> None:
    seen = window(BEN)
    cell = {"type": "raw_text", "text": "cell"}
    rich = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_list",
                "style": "bullet",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [{"type": "text", "text": "item", "style": {"bold": True}}],
                    }
                ],
            }
        ],
    }

    shown = app_message(
        desk,
        seen,
        {"type": "header", "text": plain("A header")},
        {"type": "section", "fields": [plain("one"), plain("two")]},
        {"type": "context", "elements": [plain("small")]},
        {"type": "divider"},
        {
            "type": "markdown",
            "text": "# Title\n\n**b** [l](https://example.org)\n\n- x\n\n|h|\n|-|\n|d|",
        },
        {"type": "table", "rows": [[{"type": "raw_text", "text": "head"}], [cell]]},
        {"type": "image", "image_url": "https://example.org/x.png", "alt_text": "a parcel"},
        rich,
        {"type": "video", "title": plain("v")},
    )

    expect(shown.locator(".header")).to_have_text("A header")
    expect(shown.locator(".fields p")).to_have_text(["one", "two"])
    expect(shown.locator(".context")).to_have_text("small")
    expect(shown.locator("hr")).to_have_count(1)
    expect(shown.locator(".markdown strong")).to_have_text(["Title", "b"])
    expect(shown.locator(".markdown a")).to_have_attribute("href", "https://example.org")
    expect(shown.locator(".markdown li")).to_have_text("x")
    expect(shown.locator(".markdown td")).to_have_text("d")
    expect(shown.locator(".block.table th")).to_have_text("head")
    expect(shown.get_by_role("img", name="a parcel")).to_be_visible()
    expect(shown.locator(".rich_text li strong")).to_have_text("item")
    expect(shown.locator(".unknown")).to_contain_text("A block of type video")


def test_what_others_wrote_stays_text_and_a_link_leads_to_the_web_alone(
    desk: Desk, window: Open
) -> None:
    seen = window(BEN)

    app_message(desk, seen, section("what is there already is not spoken"))
    typed = desk.workspace.post(ANN, HOSTILE, channel=CHANNEL)
    expect(seen.page.locator("#spoken")).to_contain_text(HOSTILE)
    shown = app_message(
        desk,
        seen,
        section(f"<javascript:window.hit=1|press> {HOSTILE}"),
        {"type": "markdown", "text": f"[press](javascript:window.hit=1)\n\n{HOSTILE}"},
        {"type": "header", "text": plain(HOSTILE)},
    )

    expect(seen.page.locator(f'li[data-ts="{typed.ts}"]')).to_contain_text(HOSTILE)
    expect(shown.locator("img, script, [onerror]")).to_have_count(0)
    expect(shown.locator("a[href]")).to_have_count(0)
    shown.get_by_text("press").first.click()
    assert seen.page.evaluate("() => window.hit") is None


def test_a_menu_and_a_select_of_a_message_tell_the_app_what_was_chosen(
    desk: Desk, window: Open
) -> None:
    seen = window(BEN)
    options = [{"text": plain(name), "value": name.lower()} for name in ("First", "Second")]
    shown = app_message(
        desk,
        seen,
        {
            "type": "actions",
            "elements": [
                {"type": "static_select", "action_id": "pick", "options": options},
                {"type": "overflow", "action_id": "more", "options": options},
            ],
        },
    )

    shown.locator("select").select_option("second")
    shown.get_by_role("button", name="More options").click()
    seen.page.get_by_role("menuitem", name="First").click()

    def chosen() -> list[tuple[str, str]]:
        sent = [each.payload["actions"][0] for each in desk.workspace.deliveries("block_actions")]
        return [(each["action_id"], each["selected_option"]["value"]) for each in sent]

    desk.workspace.wait_for(lambda: len(chosen()) == 2, what="both choices")
    assert chosen() == [("pick", "second"), ("more", "first")]


def test_a_person_posts_edits_and_deletes_their_own_words_and_nobody_elses(
    window: Open,
) -> None:
    ann, ben = window(ANN), window(BEN)
    box = ann.page.get_by_role("textbox", name="Message")
    box.fill("one line")
    box.press("Shift+Enter")
    box.press("End")
    box.type("and two")
    box.press("Enter")
    mine = ann.page.locator("#messages > li").last
    expect(mine).to_contain_text("one line\nand two")
    expect(box).to_have_value("")

    mine.get_by_role("button", name="More actions").click()
    ann.page.get_by_role("menuitem", name="Edit message").click()
    field = mine.get_by_role("textbox", name="Edit message")
    expect(field).to_have_value("one line\nand two")
    field.fill("other words")
    mine.get_by_role("button", name="Save").click()
    expect(mine).to_contain_text("other words")
    expect(mine).to_contain_text("(edited)")

    theirs = ben.page.locator("#messages > li").last
    expect(theirs).to_contain_text("other words")
    theirs.get_by_role("button", name="More actions").click()
    expect(ben.page.get_by_role("menuitem", name="Delete message")).to_have_count(0)
    ben.page.keyboard.press("Escape")

    mine.get_by_role("button", name="More actions").click()
    ann.page.get_by_role("menuitem", name="Delete message").click()
    expect(ben.page.get_by_text("other words")).to_have_count(0)


def test_a_command_is_answered_to_who_typed_it_alone(window: Open) -> None:
    ben, lea = window(BEN), window(LEA)
    box = ben.page.get_by_role("textbox", name="Message")

    box.fill("/handrail waiting")
    box.press("Enter")

    told = ben.page.locator("#messages > li.only-you")
    expect(told.last).to_contain_text("waiting")
    expect(lea.page.locator("#messages > li.only-you")).to_have_count(0)
    expect(ben.page.get_by_text("/handrail waiting", exact=True)).to_have_count(0)


def test_a_command_that_slack_does_not_know_is_not_sent(window: Open) -> None:
    ben = window(BEN)
    box = ben.page.get_by_role("textbox", name="Message")

    box.fill("/approve all")
    box.press("Enter")

    expect(ben.page.get_by_role("alert")).to_contain_text("/approve is not a valid command.")
    expect(box).to_have_value("/approve all")
    box.fill("")


def test_the_shortcut_on_a_message_starts_a_run(desk: Desk, window: Open) -> None:
    chat = desk.workspace.post(BEN, "Somebody called about the shed", channel=CHANNEL)
    lea = window(LEA)
    row = lea.page.locator(f'#messages > li[data-ts="{chat.ts}"]')

    row.get_by_role("button", name="More actions").click()
    lea.page.get_by_role("menuitem", name="Triage this").click()
    form = lea.page.get_by_role("dialog", name="Triage this")
    form.get_by_label("Ticket id").fill("T-80008")
    form.get_by_label("Customer id").fill("C-81265")
    form.get_by_role("button", name="Start").click()

    expect(form).to_have_count(0)
    expect(row.get_by_role("button", name="replies")).to_be_visible()


def test_app_home_is_the_persons_own_and_its_buttons_work(window: Open) -> None:
    ben = window(BEN)
    ben.page.locator("#apps").get_by_role("button").click()

    expect(ben.page.locator("#home")).to_contain_text("Your role: agent")
    ben.page.locator("#channels").get_by_role("button", name="support").click()
    expect(ben.page.locator("#messages")).to_be_visible()


def test_a_window_changes_its_person_and_keeps_it_over_a_reload(window: Open) -> None:
    seen = window(BEN, locale="en-GB")
    seen.page.get_by_label("Act as").select_option(OUT)
    seen.page.get_by_role("textbox", name="Message").fill("Hello from outside")
    seen.page.get_by_role("button", name="Send").click()

    last = seen.page.locator("#messages > li").last
    expect(last).to_contain_text("Hello from outside")
    expect(last.locator(".by")).to_contain_text("outsider")
    seen.page.reload()
    expect(seen.page.locator("#acting")).to_have_value(OUT)


def test_a_ticket_whose_button_is_pressed_twice_is_posted_once(desk: Desk, window: Open) -> None:
    seen = window(ANN)
    seen.page.get_by_role("button", name="New ticket").dblclick()
    box = seen.page.get_by_role("dialog", name="New ticket")
    box.get_by_label("Message").fill("only once")

    box.get_by_role("button", name="Post").dblclick()

    expect(box).to_have_count(0)
    assert [each.text for each in desk.workspace.history(CHANNEL)].count("only once") == 1


def test_the_inspector_names_the_block_and_the_limit_of_a_refused_call(
    desk: Desk, window: Open
) -> None:
    seen = window(HED, locale="en-GB")
    desk.refused_call()

    seen.page.get_by_role("button", name="Inspector (1 refused)").click()
    seen.page.get_by_label("refused only").check()

    line = seen.page.locator("#lines > li")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("chat.postMessage")
    problem = "invalid_blocks: block 1 (section) text/text must be less than 3001 characters"
    expect(line.locator(".problem")).to_have_text(problem)
    whole = line.locator("pre")
    expect(whole).to_be_hidden()
    line.locator("summary").press("Enter")
    expect(whole).to_contain_text('"text": "too long"')
    expect(whole).to_contain_text('"error": "invalid_blocks"')
    seen.page.get_by_label("refused only").uncheck()
    expect(line.filter(has_text="ms").first).to_be_visible()
