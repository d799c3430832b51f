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
    page.choose("#find select[aria-label='Predicted']", "1").choose("#find select[aria-label='Order']", "uncertain")
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
