"""The page in a browser: what if, locks, rules applied."""

import pytest

INCOME, SAVINGS, JOB = "Yearly income", "savings", "job"


def label_of(feature):
    """What the page calls a feature."""
    return {"income": INCOME}.get(feature, feature.replace("_", " "))


@pytest.fixture(scope="session")
def rejected(client):
    """A rejected case that some change of one or two features turns."""
    cases = client.fetch("cases", text="prediction == 'rejected'", list="uncertain", limit=40)["cases"]
    for case in cases:
        answer = client.ask("explain", case={"row": case["row"]})
        if any(rule["turned"] for rule in answer["rules"]):
            return case["row"]
    raise AssertionError("no case turns")


def test_a_number_is_changed_marked_and_taken_back(page, client):
    row = client.fetch("cases/0")
    wanted = client.ask("predict", case={"row": 0, "changes": {"income": 12}})
    field = f"{page.feature(INCOME)} input[type=number]"
    page.choose(field, "12")
    assert page.state()["edits"] == {"income": 12}
    assert page.label() == wanted["text"]
    assert wanted["certainty_text"] in page.tab.text(".quick-answer")
    assert page.tab.text("#live").startswith("Now ")
    assert page.tab.text(f"{page.feature(INCOME)}.changed .was") == f"was {row['values']['income']} k€ ↺"
    page.click(f"{page.feature(INCOME)} .was")
    assert "edits" not in page.state()
    assert page.tab.run("document.querySelectorAll('.feature.changed').length") == 0


def test_a_number_that_a_column_cannot_hold_is_refused_in_words(page):
    page.choose(f"{page.feature('age')} input[type=number]", "48.7")
    page.tab.until("document.querySelector('#trouble .trouble')")
    assert page.tab.text("#trouble") == "column 'age': 48.7 is not whole, but age takes whole numbers"
    page.choose(f"{page.feature('age')} input[type=number]", "48")
    page.tab.until("!document.querySelector('#trouble .trouble')")


def test_undo_redo_and_reset(page):
    page.choose(f"{page.feature(INCOME)} input[type=number]", "12")
    page.choose(f"{page.feature(SAVINGS)} input[type=number]", "3.5")
    page.click("#what-if .quiet:nth-of-type(1)")
    assert page.state()["edits"] == {"income": 12}
    page.click("#what-if .quiet:nth-of-type(2)")
    assert page.state()["edits"] == {"income": 12, "savings": 3.5}
    page.click("#what-if .quiet:nth-of-type(3)")
    assert "edits" not in page.state()
    page.click("#what-if .quiet:nth-of-type(1)")
    assert page.state()["edits"] == {"income": 12, "savings": 3.5}


def test_a_slider_is_one_step_back_and_goes_by_steps(page, client):
    own = client.fetch("cases/0")["values"]["income"]
    page.tab.run(f"document.querySelector('{page.feature(INCOME)} input[type=range]').focus()")
    page.tab.press("ArrowRight", "ArrowRight")
    page.settle()
    assert page.state()["edits"] == {"income": own + 2}
    page.tab.run(
        f"""{{ const one = document.querySelector('{page.feature(INCOME)} input[type=range]');
        for (const place of [100, 300, 500]) {{ one.value = place; one.dispatchEvent(new Event('input')); }}
        one.dispatchEvent(new Event('change')); }}"""
    )
    page.settle()
    assert page.state()["edits"]["income"] not in (own, own + 2)
    page.click("#what-if .quiet:nth-of-type(1)")
    assert page.state()["edits"] == {"income": own + 2}


def test_categories_and_missing(page):
    chips = f"{page.feature(JOB)} .pick"
    assert "out of work" in page.tab.text(page.feature(JOB))
    place = page.tab.run(f"[...document.querySelectorAll('{chips} input')].findIndex((one) => !one.checked)")
    page.click(f"{chips}:nth-of-type({place + 1}) input")
    assert list(page.state()["edits"]) == ["job"]
    page.click(f"{page.feature(SAVINGS)} .missing input")
    assert page.state()["edits"]["savings"] is None
    assert page.tab.run(f"document.querySelector('{page.feature(SAVINGS)} .slider').className") == "slider off"


def test_strips_show_where_the_model_turns(page, client, rejected):
    page.visit(row=rejected)
    effects = client.ask("explain", case={"row": rejected})["effects"]
    for effect in effects:
        label = label_of(effect["feature"])
        shown = page.tab.run(f"document.querySelectorAll('{page.feature(label)} .turns').length")
        assert shown == len(effect["turning"]), effect["feature"]
    assert any(effect["turning"] for effect in effects)


def test_a_rule_is_applied_by_a_click(page, client, rejected):
    page.visit(row=rejected)
    rules = client.ask("explain", case={"row": rejected})["rules"]
    place = next(number for number, rule in enumerate(rules) if rule["turned"])
    page.tab.run(f"document.querySelectorAll('.board li.rule')[{place}].querySelector('.apply').click()")
    page.settle()
    assert page.state()["edits"] == rules[place]["changes"]
    assert page.label() == "accepted"
    assert "before the change: rejected" in page.tab.text("#verdict")
    assert page.tab.run("document.querySelectorAll('.feature.changed').length") == len(rules[place]["changes"])
    assert "accepted" in page.tab.text(".trail")


def suggested(page):
    """Features that the rules on the page would change."""
    return page.tab.run("[...document.querySelectorAll('.apply')].map((one) => one.ariaLabel)")


def test_locks_keep_suggestions_from_a_feature(page, client, rejected):
    page.visit(row=rejected)
    rules = client.ask("explain", case={"row": rejected})["rules"]
    feature = next(next(iter(rule["changes"])) for rule in rules if rule["turned"])
    label = label_of(feature)
    assert any(label in one for one in suggested(page))
    page.choose(f"{page.feature(label)} .lock", "fixed")
    assert page.state()["locks"] == {feature: "fixed"}
    assert not any(label in one for one in suggested(page))
    bound = client.ask("explain", case={"row": rejected}, options={"constraints": {"fixed": [feature]}})
    assert len(suggested(page)) == sum(rule["changes"] is not None for rule in bound["rules"])


def test_a_way_is_asked_for(page, client, rejected):
    """Against the way of a suggestion, which is then no more there."""
    own = client.fetch(f"cases/{rejected}")["values"]
    rules = client.ask("explain", case={"row": rejected})["rules"]
    moves = [move for rule in rules if rule["turned"] for move in rule["changes"].items() if move[0] != "job"]
    feature, value = moves[0]
    way = "down" if value > own[feature] else "up"
    page.visit(row=rejected)
    free = suggested(page)
    page.choose(f"{page.feature(label_of(feature))} .lock", way)
    bound = client.ask("explain", case={"row": rejected}, options={"constraints": {way: [feature]}})
    texts = [f"Apply: {rule['changes_text']}" for rule in bound["rules"] if rule["changes"] is not None]
    assert suggested(page) == texts != free


def test_a_lock_is_seen_and_heard(page, rejected):
    page.visit(row=rejected)
    assert page.tab.run("document.querySelectorAll('.kept-words').length") == 0
    lock = f"{page.feature('age')} .lock"
    hint = f"document.querySelector('{page.feature('age')} .lock-hint')"
    assert page.tab.run(f"getComputedStyle({hint}).visibility") == "hidden"
    page.tab.run(f"document.querySelector('{lock}').focus()")
    assert page.tab.run(f"getComputedStyle({hint}).visibility") == "visible"
    assert page.tab.run(f"{hint}.textContent").startswith("Suggestions may change age")
    page.choose(lock, "fixed")
    assert page.tab.run(f"{hint}.textContent") == "Suggestions keep age fixed."
    assert page.tab.text("#verdict .kept-words") == "keeps age fixed"
    assert page.tab.text(".board .group.hypothetical .kept-words") == "keeps age fixed"
    page.click("#what-if .legend-line .link")
    assert "locks" not in page.state()
    assert page.tab.run("document.querySelectorAll('.kept-words').length") == 0


def test_the_main_reasons_come_first_and_a_change_is_tried(page, client, rejected):
    page.visit(row=rejected)
    plain = client.ask("explain", case={"row": rejected})["plain"]
    text = page.tab.text("#verdict .plain")
    for reason in plain["reasons"]:
        assert f"{reason['feature']}: {reason['value']}" in text
    first = plain["changes"][0]
    for detail in first["details"]:
        assert f"{detail['feature']}: {detail['then']} instead of {detail['now']}" in text
    rules = client.ask("explain", case={"row": rejected})["rules"]
    page.tab.click("#verdict .try")
    page.tab.until("location.hash.includes('edits')")
    page.settle()
    assert page.state()["edits"] == rules[first["rule"]]["changes"]
    assert page.label() == first["result"]["text"]


def test_slider_and_board_have_one_axis(page):
    """The mark of this case on a strip of effects lies where the slider's thumb does."""
    page.tab.run("document.querySelectorAll('.board details').forEach((one) => { one.open = true; })")
    found = page.tab.run(
        """[...document.querySelectorAll('.depends > li:has(.pieces u)')].map((one) => {
        const name = one.querySelector('.name bdi').textContent;
        const slider = document.querySelector(`.feature[aria-label="${name}"] input[type=range]`);
        return [name, parseFloat(one.querySelector('.pieces u').style.left), slider.value / 10]; })"""
    )
    assert len(found) >= 3
    for name, strip, slider in found:
        assert strip == pytest.approx(slider, abs=0.15), name


def test_a_value_outside_the_data_is_told_beside_its_control(page):
    note = f"{page.feature(INCOME)} .outside"
    assert page.tab.run(f"document.querySelector('{note}').hidden")
    page.choose(f"{page.feature(INCOME)} input[type=number]", "9999")
    assert "Outside the data, which go from" in page.tab.text(note)
    page.choose(f"{page.feature(INCOME)} input[type=number]", "30")
    assert page.tab.run(f"document.querySelector('{note}').hidden")


def test_a_category_that_no_row_has_is_typed(page, client):
    page.tab.click(f"{page.feature(JOB)} .picks .link")
    page.tab.until("document.activeElement.matches('[role=combobox]')")
    page.tab.run("document.activeElement.select()")
    page.tab.type("astronaut")
    page.tab.until("document.querySelector('.choices-list').innerText.includes('astronaut not in the background')")
    page.tab.press("Enter")
    page.tab.until("location.hash.includes('astronaut')")
    page.settle()
    assert page.state()["edits"] == {"job": "astronaut"}
    assert "No row of the data has this" in page.tab.text(f"{page.feature(JOB)} .outside")
    assert page.label() == client.ask("predict", case={"row": 0, "changes": {"job": "astronaut"}})["text"]
