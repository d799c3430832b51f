"""The page in a browser: options, definitions, comparing, and what is taken away."""

import json

import pytest
from served_loans import HANGS, TOKEN, make_service

from lormika.serving.launch import Server


def press(page, selector, text):
    """Press the button that says so."""
    buttons = f"[...document.querySelectorAll({json.dumps(selector)})]"
    page.tab.run(f"{buttons}.find((one) => one.textContent === {json.dumps(text)}).click()")


def fill_in(page, label, text):
    """Fill in a field of the form."""
    field = f"[...document.querySelectorAll('dialog .field')].find((one) => one.innerText.startsWith('{label}'))"
    page.tab.run(
        f"""{{ const one = {field}.querySelector('input, textarea, select'); one.value = {json.dumps(text)};
        one.dispatchEvent(new Event('input', {{ bubbles: true }}));
        one.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"""
    )


def test_measure_number_and_figures_are_chosen(page, client):
    page.choose(".options select[aria-label^='Measure']", "3").choose(".options select[aria-label^='How many']", "0")
    assert page.state() | {"data": None} == {"row": 0, "objective": "lift", "k": 1, "data": None}
    wanted = client.ask("explain", case={"row": 0}, options={"objective": "lift", "k": 1})
    shown = page.tab.run("[...document.querySelectorAll('.board .rule .unseen')].map((one) => one.textContent)")
    assert shown == [rule["text"] for rule in wanted["rules"]]
    assert page.tab.run("document.querySelectorAll('.rule details[open]').length") == 0
    page.click(".options input[role=switch]")
    assert page.tab.run("document.querySelectorAll('.rule details[open]').length") == len(shown)


def test_of_two_classes_there_is_nothing_to_choose(page, client):
    label = "document.querySelector('.options select[aria-label^=Class]').parentElement.hidden"
    assert page.tab.run(label)
    predicted = client.ask("predict", case={"row": 0})["prediction"]
    page.visit(row=0, target=json.dumps(predicted))
    assert not page.tab.run(label)
    assert "(predicted now)" in page.tab.run("document.querySelector('.options select[aria-label^=Class]').innerText")


def test_how_certain_and_how_different_suggestions_must_be(page, client):
    page.tab.click(".more-options summary")
    page.choose(".options select[aria-label^='How certain']", "4").click(".more-options input[type=checkbox]")
    assert page.state() | {"data": 0} == {"row": 0, "at_least": 0.9, "spread": True, "data": 0}
    options = {"objective": "leverage", "k": 5, "at_least": 0.9, "spread": True}
    wanted = client.ask("explain", case={"row": 0}, options=options)
    shown = page.tab.run("[...document.querySelectorAll('.board .rule .unseen')].map((one) => one.textContent)")
    assert shown == [rule["text"] for rule in wanted["rules"]]
    page.visit(row=0, at_least=0.85, spread=True)
    assert page.state()["at_least"] == 0.85
    assert "85% sure" in page.tab.run(
        "document.querySelector('.options select[aria-label^=\"How certain\"]').textContent"
    )


def test_plain_words_first_figures_if_wanted(page):
    seen = "[...document.querySelectorAll('.board .term, .board .rule > details')].some((one) => one.checkVisibility())"
    assert not page.tab.run(seen)
    page.click(".options input[role=switch]")
    assert page.tab.run(seen)


def test_every_figure_says_what_it_means(page, client):
    meanings = {one["name"]: one["text"] for one in client.fetch("definitions")}
    page.click(".options input[role=switch]")
    page.tab.click(".in-sentences summary")
    names = page.tab.run("[...new Set([...document.querySelectorAll('.rule dt')].map((one) => one.innerText.trim()))]")
    assert names
    for name in names:
        press(page, ".rule dt button", name)
        page.tab.until(f"document.querySelector('#definition strong').textContent === {json.dumps(name)}")
        assert page.tab.text("#definition p") == meanings[name]
    for words in ("sure", "border", "which are similar?", "what is an effect?", "checked", "locks", "turns", "share"):
        press(page, ".term-button", words)
        page.tab.until("document.querySelector('#definition:popover-open')")
        assert "no definition" not in page.tab.text("#definition")


def test_two_cases_side_by_side(page, client):
    page.click("[data-compare='5']")
    page.tab.until("document.querySelector('.comparison')")
    wanted = client.ask("compare", cases=[{"row": 0}, {"row": 5}])
    assert page.tab.text(".comparison-summary") == wanted["summary"]
    assert "A-005" in wanted["summary"]
    assert page.tab.run("document.querySelectorAll('.differences tbody tr').length") == len(wanted["differences"])
    texts = wanted["differences"][0]["swapped"][0]["certainty_texts"]
    assert texts[1] in page.tab.text(".differences tbody tr")
    neutral = "[...document.querySelectorAll('.side .label, .side .tone-against, .side li b')]"
    colours = f"{neutral}.map((one) => getComputedStyle(one).color)"
    assert page.tab.run(f"[...new Set({colours})]") == [page.tab.run("getComputedStyle(document.body).color")]
    if wanted["closer"] is not None:
        sides = page.tab.run(
            "[...document.querySelectorAll('.side')].map((one) => Boolean(one.querySelector('.badge')))"
        )
        assert sides.index(True) == wanted["closer"]
        assert sum(sides) == 1
    assert page.state()["compared"] == {"row": 5, "edits": {}}
    page.click(".comparison-head .primary")
    page.tab.until("!document.querySelector('#verdict[hidden]')")
    assert "compared" not in page.state()


def test_a_comparison_has_controls_that_know_where_the_model_turns(page, client):
    page.visit(row=0, compared={"row": 5, "edits": {}})
    effects = client.ask("explain", case={"row": 0})["effects"]
    shown = page.tab.run("document.querySelectorAll('#what-if .turns').length")
    assert shown == sum(len(effect["turning"]) for effect in effects) > 0
    page.choose(f"{page.feature('savings')} input[type=number]", "12.5")
    assert "changed" in page.tab.text(".comparison-summary")


def test_before_and_after(page):
    page.choose(f"{page.feature('savings')} input[type=number]", "12.5")
    page.tab.press("c")
    page.tab.click("dialog .link")
    page.tab.until("document.querySelector('.comparison')")
    assert page.tab.run(
        "[...document.querySelectorAll('.side .headline > p:first-child')].map((p) => p.innerText)"
    ) == [
        "Before",
        "After",
    ]
    assert page.tab.text(".differences tbody tr").startswith("savings")


def test_another_case_is_named_to_be_compared(page):
    page.tab.press("c")
    page.tab.until("document.activeElement.matches('dialog input')")
    page.tab.type("nobody")
    page.tab.press("Enter")
    page.tab.until("document.querySelector('dialog .trouble:not([hidden])')")
    page.tab.run("document.activeElement.select()")
    page.tab.type("A-007")
    page.tab.press("Enter")
    page.tab.until("document.querySelector('.comparison')")
    assert page.state()["compared"]["row"] == 7


def test_a_rule_is_copied_in_three_languages(page, client):
    page.catch()
    rule = client.ask("explain", case={"row": 0})["rules"][0]
    for place, name in enumerate(("sentence", "sql", "query")):
        page.tab.run("window.copied = null")
        page.tab.click(".rule-copy")
        page.tab.run(f"document.querySelectorAll('#menu button')[{place}].click()")
        assert page.copied() == rule[name]


@pytest.mark.parametrize(("button", "name"), [("Report", "why-0.html"), ("JSON", "why-0.json")])
def test_report_and_data_are_saved(page, client, button, name):
    page.catch()
    press(page, "#actions button", button)
    saved = page.saved()
    assert page.tab.run("window.savedAs") == name
    what = "report" if name.endswith("html") else "json"
    question = {"case": {"row": 0}, "options": {"objective": "leverage", "k": 5}}
    assert saved == client.post(f"/api/{what}", json=question).text


def test_a_letter_about_changed_values_is_called_hypothetical(page):
    page.choose(f"{page.feature('savings')} input[type=number]", "12.5")
    page.tab.press("m")
    page.tab.until("document.querySelector('.letter-view h3')")
    assert "hypothetical" in page.tab.text("dialog .trouble")
    assert "This is hypothetical" in page.tab.text(".letter-view")
    assert "savings 12.5 instead of" in page.tab.text(".letter-view")
    page.tab.click("dialog .trouble .link")
    page.tab.until("document.querySelector('dialog[open] .letter-view h3') && !location.hash.includes('edits')")
    assert "hypothetical" not in page.tab.text("dialog[open]")  # the one that was closed may still be there


def test_a_letter_is_shown_and_saved(page):
    page.catch()
    page.tab.press("m")
    page.tab.until("document.querySelector('.letter-view h3')")
    assert "[recipient]" in page.tab.text(".letter-view")
    fill_in(page, "To", "Ms Doe")
    page.tab.until("document.querySelector('.letter-view').innerText.includes('Ms Doe')")
    press(page, "dialog button", "Save letter")
    assert "Ms Doe" in page.saved()
    assert page.tab.run("window.savedAs") == "letter-0.html"


def test_the_text_of_a_letter_has_the_table_of_reasons_and_all_lines(page, client):
    page.catch()
    page.tab.press("m")
    page.tab.until("document.querySelector('.letter-view h3')")
    fill_in(page, "Kind", "explanation")
    fill_in(page, "To", "Ms Jana Testova\nHlavni 5")
    press(page, "dialog button", "Copy text")
    copied = page.copied()
    assert "Ms Jana Testova\nHlavni 5\n" in copied
    record = client.ask("letter", case={"row": 0}, template="explanation", format="json")
    reasons = record["reasons"]
    assert any(reason["otherwise"] for reason in reasons)
    assert "last column" not in copied
    for reason in reasons:
        other = reason["otherwise"] or "no value that was tried, on its own"
        assert f"• {reason['text']} — another result with: {other}" in copied


def test_the_text_of_a_letter_follows_the_form(page):
    page.tab.press("m")
    page.tab.until("document.querySelector('.letter-view h3')")
    fill_in(page, "Kind", "explanation")
    page.tab.until("document.querySelector('.letter-view').innerText.includes('You asked us to explain')")
    fill_in(page, "Date", "2026-03-01")
    fill_in(page, "Decision", "We have declined your application.")
    assert page.tab.run("document.querySelector('.letter-view').matches('.old[aria-busy]')")
    page.tab.until("document.querySelector('.letter-view:not(.old)')")
    assert "We have declined your application." in page.tab.text(".letter-view")
    assert "2026" in page.tab.text(".letter-view")


def open_letter(page):
    page.tab.until("!document.querySelector('dialog')")
    page.tab.press("m")
    page.tab.until("document.querySelector('.letter-form textarea')")


def test_a_letter_about_another_case_has_nothing_of_the_person_before(page):
    fields = "[...document.querySelectorAll('.letter-form textarea')].map((one) => one.value)"
    open_letter(page)
    page.tab.until("document.querySelector('.letter-view h3')")
    for label, text in (("To", "Ms Doe"), ("From", "Bank"), ("Decision", "Declined."), ("Whom", "Mr Roe")):
        fill_in(page, label, text)
    page.tab.press("Escape")
    open_letter(page)
    assert page.tab.run(fields) == ["Ms Doe", "Bank", "Declined.", "Mr Roe"]
    page.tab.press("Escape")
    page.tab.until("!document.querySelector('dialog')")
    page.click(".case[data-row='3']")
    open_letter(page)
    assert page.tab.run(fields) == ["", "Bank", "", "Mr Roe"]
    page.tab.until("document.querySelector('.letter-view h3')")
    assert "Ms Doe" not in page.tab.text(".letter-view")
    fill_in(page, "Decision", "Granted.")
    page.tab.run("history.back()")
    page.tab.until("location.hash.includes('row=0&') && !document.querySelector('dialog')")
    page.settle().choose(f"{page.feature('savings')} input[type=number]", "12.5")
    open_letter(page)
    assert page.tab.run(fields) == ["", "Bank", "", "Mr Roe"]


def test_a_link_holds_everything_also_after_a_restart(loans, show):
    state = {
        "row": 31, "edits": {"savings": 4.5, "job": "employed"}, "locks": {"age": "fixed", "income": "up"},
        "objective": '"lift"', "k": 2, "detail": '"detailed"',
    }  # fmt: skip
    with Server(make_service(loans), token=TOKEN) as server:
        server.service.forecasts.join(HANGS)
        page = show(server, **state)
        before = page.tab.run("location.href"), page.tab.text("main")
    page.tab.tell("Network.clearBrowserCookies")
    with Server(make_service(loans), token="another-token-0123456789", port=server.port) as server:
        server.service.forecasts.join(HANGS)
        page.tab.go(before[0])
        page.tab.until("document.querySelector('h1')?.innerText.includes('key')")
        page.tab.go(before[0].replace("/#", "/?token=another-token-0123456789#"))
        page.settle()
        assert page.state()["locks"] == {"age": "fixed", "income": "up"}
        assert (page.tab.run("location.href"), page.tab.text("main")) == before
        page.tab.go(before[0])  # now the browser has the key
        page.settle()
        assert page.tab.text("main") == before[1]


def test_a_link_that_cannot_be_true_says_so(page, client):
    page.visit(row=100_000)
    assert "row 100000" in page.tab.text(".trouble")
    assert page.state()["row"] == 0
    page.visit(row=3, data="000000000000")
    assert "other data" in page.tab.text(".trouble")
    page.visit(row="1; alert(1)", edits="{", locks="[1]", k="-5")
    assert page.state()["row"] == 0
