"""The widget's view in a browser, with the widget itself behind it."""

from __future__ import annotations

import pytest
from widget_loans import Loans
from widget_tab import Tab

from browser import DARK, LIGHT
from cases import HOSTILE


@pytest.fixture(scope="module")
def loans():
    return Loans()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page with a widget; all are closed in the end."""
    tabs = []

    def open_tab(widget, **how):
        tabs.append(Tab(browser, tmp_path, widget, **how))
        return tabs[-1]

    try:
        yield open_tab
    finally:
        for tab in tabs:
            tab.close()


def shown(tab: Tab) -> tuple[str, str]:
    return tab.text(".outcome"), tab.text(".certainty")


def test_every_feature_has_a_control_of_its_kind(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    own = loans.rows.iloc[3]
    kinds = tab.run(
        "[...document.querySelectorAll('.field')].map(f => [...f.querySelectorAll('input, select')].map(c => c.type))"
    )
    assert kinds == [
        ["range", "number"],
        ["range", "number", "checkbox"],
        ["range", "number"],
        ["select-one"],
        ["select-one"],
        ["text", "checkbox"],
    ]
    assert tab.run("find('Yearly income').valueAsNumber") == own["income"]
    assert tab.run("find('job').selectedOptions[0].textContent") == own["job"].replace("unemployed", "out of work")
    assert tab.run("find('town').value") == own["town"]
    assert tab.run("find('town').list.options.length") == 200
    assert shown(tab) == (tab.widget.answer["text"], tab.widget.answer["certainty_text"])
    assert tab.run("document.querySelectorAll('.board li.rule').length") == len(tab.widget.explanation.rules)


def test_a_change_is_asked_shown_and_marked(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    before = shown(tab)
    tab.run("enter('Yearly income', 90)")
    (question,) = tab.settle()
    assert (question["row"], question["changes"], question["explain"]) == (3, {"income": 90}, True)
    expected = loans.explainer.explain(loans.rows.iloc[[3]].assign(income=90))
    assert tab.text(".outcome") == expected.prediction
    assert tab.text(".earlier") == f"before: {' '.join(before)}"
    assert tab.run("[...document.querySelectorAll('.field.changed .feature')].map(e => e.textContent)") == [
        "Yearly income"
    ]
    assert tab.text(".field.changed .back") == f"was {loans.rows['income'].iloc[3]}\N{NO-BREAK SPACE}k€"
    assert tab.run("find('Yearly income, slider').valueAsNumber") == 90
    assert tab.run("document.querySelectorAll('.board li.rule').length") == len(expected.rules)


def test_a_moving_slider_asks_for_the_rules_when_it_rests(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    tab.run("for (let value = 60; value < 70; value++) enter('Yearly income, slider', value, 'input')")
    questions = tab.settle()
    assert [one["explain"] for one in questions[:2]] == [False, False]
    assert len(questions) == 3  # the first, the newest of those that came while it was on its way, and that with rules
    assert questions[-1]["explain"] is True
    assert [one["changes"]["income"] for one in questions] == [60, 69, 69]
    tab.run("document.querySelector('.tools button').click()")  # undo: the whole move
    tab.settle()
    assert tab.widget.changes == {}


def test_undo_reset_and_back(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    buttons = "[...document.querySelectorAll('.tools button')].map(b => b.disabled)"
    assert tab.run(buttons) == [True, True]
    job = tab.run("[...find('job').options].findIndex(o => o.textContent === 'self-employed')")
    for act in (f"enter('job', {job})", "enter('missed_payments', 4)", "find('savings is missing').click()"):
        tab.run(act)
        tab.settle()
    assert tab.widget.changes == {"job": "self-employed", "missed_payments": 4, "savings": None}
    tab.run("find('savings is missing').click()")
    tab.settle()
    assert tab.widget.changes.keys() == {"job", "missed_payments"}  # back at its own value
    for left in ({"job", "missed_payments", "savings"}, {"job", "missed_payments"}, {"job"}):
        tab.run("document.querySelector('.tools button').click()")
        tab.settle()
        assert tab.widget.changes.keys() == left
    tab.run("document.querySelector('.field.changed .back').click()")
    tab.settle()
    assert tab.widget.changes == {}
    tab.run("enter('missed_payments', 4)")
    tab.settle()
    tab.run("document.querySelectorAll('.tools button')[1].click()")
    tab.settle()
    assert (tab.widget.changes, tab.run(buttons)) == ({}, [False, True])


def test_a_rule_is_applied(loans, opened):
    row = next(i for i in range(20) if loans.explainer.explain(loans.rows.iloc[[i]]).counterfactual)
    tab = opened(loans.explainer.widget(loans.rows, row))
    before = tab.text(".outcome")
    hypothetical = [rule for rule in tab.widget.explanation.rules if rule.rerun is not None]
    assert tab.run("document.querySelectorAll('.apply').length") == len(hypothetical)
    turning = tab.widget.explanation.counterfactual[0]
    tab.run("document.querySelector('.hypothetical.against-group .apply').click()")
    tab.settle()
    assert tab.widget.changes == {edit.feature: edit.after for edit in turning.rerun.edits}
    assert tab.text(".outcome") == str(turning.consequent) != before


def test_categories_beyond_the_list_can_be_written(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    listed = {one["text"] for one in tab.widget.features[-1]["categories"]}
    other = next(town for town in loans.rows["town"] if town not in listed)
    tab.run(f"enter('town', {other!r})")
    tab.settle()
    assert tab.widget.changes == {"town": other}
    assert tab.run("find('town').value") == other


def test_a_value_that_was_missing_comes_back(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    for name in ("savings", "town"):
        tab.run(f"find('{name} is missing').click()")
        tab.settle()
        assert tab.widget.changes == {name: None}
        assert tab.run(f"find('{name}').value") == ""
        tab.run(f"find('{name} is missing').click()")
        tab.settle()
        assert tab.widget.changes == {}


def test_another_row_and_one_that_is_not_there(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    tab.run("enter('row', 17)")
    tab.settle()
    assert tab.widget.row == 17
    assert tab.run("find('Yearly income').valueAsNumber") == loans.rows["income"].iloc[17]
    tab.run("enter('row', 4000)")
    tab.settle()
    assert tab.text(".error") == "row=4000: X has 400 rows, numbered from 0"
    assert tab.run("document.querySelector('.error').hidden") is False
    tab.run("enter('row', 5)")
    tab.settle()
    assert tab.run("document.querySelector('.error').hidden") is True


def test_a_failing_model_is_told_and_can_be_asked_again(opened):
    loans = Loans()
    tab = opened(loans.explainer.widget(loans.rows, 3))
    loans.fault = RuntimeError("out of order")
    tab.run("enter('missed_payments', 3)")
    tab.settle()
    assert "out of order" in tab.text(".error")
    loans.fault = None
    tab.run("enter('missed_payments', 4)")
    tab.settle()
    assert tab.widget.changes == {"missed_payments": 4}
    assert tab.text(".error") == ""


def test_a_kernel_that_does_not_answer_is_told_and_asked_again(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    tab.run("window.later = []; window.setTimeout = (work) => window.later.push(work); 1")
    tab.run("enter('missed_payments', 3)")
    lost = tab.run("model.sent.splice(0)")
    tab.run("enter('missed_payments', 4)")
    assert (len(lost), tab.run("model.sent.length")) == (1, 0)
    tab.run("later.splice(0).forEach(work => work())")
    assert "is the kernel busy, or has it stopped?" in tab.text(".doing")
    (question,) = tab.pass_on()
    assert question["changes"] == {"missed_payments": 4}
    assert (tab.widget.changes, tab.text(".doing")) == ({"missed_payments": 4}, "")


def test_what_is_set_from_python_is_shown(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    tab.widget.changes = {"income": 77}
    state = tab.widget.get_state(["answer", "board"])
    for name, value in state.items():
        tab.receive(name, value)
    assert tab.run("find('Yearly income').valueAsNumber") == 77


def test_hostile_names_and_values_are_text(opened):
    names = dict(zip(["income", "savings", "missed_payments", "phone", "job", "town"], HOSTILE * 3, strict=False))
    names = {old: f"{new}{place}" for place, (old, new) in enumerate(names.items())}
    loans = Loans(names)
    rows = loans.rows.copy()
    rows.loc[3, names["town"]] = HOSTILE[0]
    tab = opened(loans.explainer.widget(rows, 3))
    tab.run("[...document.querySelectorAll('.field input[type=number]')].forEach(c => "
            "{ c.value = 1; c.dispatchEvent(new Event('change')); })")  # fmt: skip
    tab.settle()
    assert tab.run("document.title") == "host"
    assert tab.run("document.querySelectorAll('#cell script, #cell img').length") == 0
    assert tab.run("[...document.querySelectorAll('.feature')].map(e => e.textContent)") == list(names.values())
    assert tab.run("[...document.querySelectorAll('.field input[type=text]')].pop().value") == HOSTILE[0]


@pytest.mark.parametrize(("width", "dark"), [(360, False), (900, True)])
def test_it_fits_and_follows_the_colours(loans, opened, width, dark):
    tab = opened(loans.explainer.widget(loans.rows, 3), width=width, dark=dark)
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("getComputedStyle(document.querySelector('.whatif')).color") == (DARK if dark else LIGHT)
    unnamed = (
        "[...document.querySelectorAll('#cell :is(input, select, button)')].filter(c => !c.ariaLabel && !c.textContent)"
    )
    assert tab.run(f"{unnamed}.length") == 0


def test_a_view_that_is_gone_hears_nothing(loans, opened):
    tab = opened(loans.explainer.widget(loans.rows, 3))
    assert tab.run("model.heard.length") == 2
    tab.run("cleanup()")
    assert tab.run("model.heard.length") == 0
