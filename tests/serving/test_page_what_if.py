"""The page in a browser: what if, locks, rules applied."""

import pytest

INCOME, SAVINGS, JOB = "Yearly income", "savings", "job"


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
        label = {"income": INCOME}.get(effect["feature"], effect["feature"])
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
    label = {"income": INCOME}.get(feature, feature)
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
    page.choose(f"{page.feature({'income': INCOME}.get(feature, feature))} .lock", way)
    bound = client.ask("explain", case={"row": rejected}, options={"constraints": {way: [feature]}})
    texts = [f"Apply: {rule['changes_text']}" for rule in bound["rules"] if rule["changes"] is not None]
    assert suggested(page) == texts != free
