"""The page in a browser: finding a case."""

import json


def search(page, text):
    page.tab.run(f"document.querySelector('#find input').value = {json.dumps(text)}")
    page.tab.run("document.querySelector('#find form').requestSubmit()")


def listed(client, **query):
    return [case["row"] for case in client.fetch("cases", limit=6, **query)["cases"]]


def await_rows(page, rows):
    """Wait until the list has these cases."""
    shown = "[...document.querySelectorAll('.case')].map((one) => Number(one.dataset.row))"
    page.tab.until(f"JSON.stringify({shown}) === JSON.stringify({rows})")


def test_the_first_case_is_there_at_once(page, client):
    answer = client.ask("predict", case={"row": 0})
    assert page.label() == answer["text"]
    assert answer["certainty_text"] in page.tab.text("#verdict")
    assert page.tab.run("document.querySelectorAll('.board li.rule').length") > 0
    assert page.tab.complaints() == []


def test_by_row_and_by_name(page):
    search(page, "17")
    page.tab.until("location.hash.includes('row=17&')")
    search(page, "A-023")
    page.tab.until("location.hash.includes('row=23&')")
    page.tab.until("document.querySelector('#verdict').innerText.includes('A-023')")


def test_by_condition_a_page_at_a_time(page, client):
    condition = "income > 30 and job == 'unemployed'"
    first, second = listed(client, text=condition), listed(client, text=condition, offset=6)
    assert len(second) > 0
    search(page, condition)
    await_rows(page, first)
    page.tab.click("[aria-label='More cases']")
    await_rows(page, second)
    page.tab.click("[aria-label='Cases before these']")
    await_rows(page, first)


def test_the_least_certain_rejection(page, client):
    wanted = listed(client, text="prediction == 'rejected'", list="uncertain")
    page.choose("#find select[aria-label='Predicted']", "rejected").choose(
        "#find select[aria-label='Order']", "uncertain"
    )
    await_rows(page, wanted)
    page.click(f".case[data-row='{wanted[0]}']")
    assert page.state()["row"] == wanted[0]
    assert page.label() == "rejected"
    assert page.tab.run("document.querySelector('.case[aria-current]').dataset.row") == str(wanted[0])


def test_predicted_otherwise_says_the_label(page, client):
    wanted = client.fetch("cases", list="otherwise", limit=6)["cases"]
    page.choose("#find select[aria-label='Order']", "otherwise")
    await_rows(page, [case["row"] for case in wanted])
    assert f"labelled {wanted[0]['label']}" in page.tab.text(".case")


def test_a_wrong_condition_is_told_in_words(page):
    search(page, "incme > 3")
    page.tab.until("document.querySelector('.results .trouble')")
    assert "income" in page.tab.text(".results .trouble")
    search(page, "income > 99999")
    page.tab.until("document.querySelector('.results .none')")


def test_back_leads_to_the_case_before(page):
    page.click(".case[data-row='3']").click(".case[data-row='4']")
    assert page.state()["row"] == 4
    page.tab.run("history.back()")
    page.tab.until("location.hash.includes('row=3&')")
    page.settle()
    assert "A-003" in page.tab.text("#verdict")


def test_back_leads_out_of_a_comparison_and_into_it(page):
    is_alone, is_compared = "!document.querySelector('#verdict[hidden]')", "document.querySelector('#verdict[hidden]')"
    page.click(".case[data-row='3']").click("[data-compare='5']")
    page.tab.until(is_compared)
    page.click(".comparison-head .primary")
    page.tab.until(is_alone)
    page.tab.run("history.back()")
    page.tab.until("location.hash.includes('compared')")
    page.tab.until(is_compared)
    assert (page.state()["row"], page.state()["compared"]["row"]) == (3, 5)
    page.tab.run("history.back()")
    page.tab.until(is_alone)
    assert page.state()["row"] == 3
    assert "A-003" in page.tab.text("#verdict")


def test_a_wrong_condition_is_quoted_as_it_was_typed(page):
    page.choose("#find select[aria-label='Predicted']", "rejected")
    search(page, "income >")
    page.tab.until("document.querySelector('.results .trouble')")
    assert "'income >'" in page.tab.text(".results .trouble")
    assert "prediction" not in page.tab.text(".results .trouble")


def test_a_condition_in_plain_words_is_read_and_shown(page, client):
    search(page, "job = out of work")
    await_rows(page, listed(client, text="job == 'unemployed'"))
    assert page.tab.text(".read-as") == 'Read as job == "unemployed"'


def test_how_to_write_a_condition(page):
    page.tab.click("#find .hint .link")
    text = page.tab.text("#find .help")
    for words in ("is missing", "backticks", "and", "quotes"):
        assert words in text
    examples = page.tab.run("[...document.querySelectorAll('#find .help .link')].map((one) => one.textContent)")
    for place in range(len(examples)):
        page.tab.run(f"document.querySelectorAll('#find .help .link')[{place}].click()")
        page.tab.until(f"document.querySelector('#find input').value === {json.dumps(examples[place])}")
        page.tab.until("document.querySelector('.pages, .none')")
        assert page.tab.run("document.querySelectorAll('.results .trouble').length") == 0, examples[place]


def test_the_open_case_is_marked_wherever_it_is(page, client):
    page.visit(row=250)
    page.tab.until("document.querySelector('.case[aria-current]')")
    assert page.tab.run("document.querySelector('.case[aria-current]').dataset.row") == "250"
    page.tab.click("[aria-label='More cases']")
    page.tab.until("document.querySelector('.elsewhere:not([hidden]) .link')")
    page.tab.click(".elsewhere .link")
    page.tab.until("document.querySelector('.case[aria-current]')")
    search(page, "income > 99999 or row == 1")
    page.tab.until("document.querySelector('.results .trouble')")


def test_the_link_holds_the_list(page, client):
    page.choose("#find select[aria-label='Predicted']", "rejected").choose(
        "#find select[aria-label='Order']", "uncertain"
    )
    search(page, "income > 20")
    wanted = {"text": "income > 20", "prediction": "rejected", "list": "uncertain"}
    page.tab.until("location.hash.includes('income')")
    assert page.state()["find"] == wanted
    page.visit(row=0, find=wanted)
    await_rows(page, listed(client, around=0, **wanted))
    assert page.tab.run("document.querySelector('#find input').value") == "income > 20"
    page.visit(row=0, find={"text": 5, "prediction": "nobody", "list": "x"})
    await_rows(page, listed(client))


def test_a_tall_screen_lists_more_cases(show, client):
    tall = show(client.server, 1440, 1400)
    tall.tab.until("document.querySelectorAll('.case').length > 12")
