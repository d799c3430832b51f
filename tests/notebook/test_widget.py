"""The widget without a browser: its traits and messages, with the real anywidget."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from widget_loans import Loans

from lormika import Explanation, InputError, ModelError
from lormika.views.html import to_board


@pytest.fixture(scope="module")
def loans():
    return Loans()


class Wire:
    """What a notebook's front end is told."""

    kernel, comm_id = "a kernel", "a comm"

    def __init__(self):
        self.states = []

    def send(self, data=None, buffers=None, **_):
        if data["method"] == "update":
            self.states.append(data["state"])

    def on_msg(self, hear):
        pass

    def close(self, *_, **__):
        pass


def asked(widget, **question):
    """Ask as a front end does, by a message; what it is told then."""
    wire = widget.comm = Wire()
    state = {"question": {"number": "n-1", "row": widget.row, "changes": {}, "explain": True} | question}
    widget._handle_msg({"content": {"data": {"method": "update", "state": state}}, "buffers": []})
    return [state for state in wire.states if "question" not in state]  # it is echoed, too


def test_it_begins_with_a_row_and_its_explanation(loans):
    widget = loans.explainer.widget(loans.rows, 3, k=2)
    expected = loans.explainer.explain(loans.rows.iloc[[3]], k=2)
    assert widget.explanation.to_json() == expected.to_json()
    assert widget.board["html"] == to_board(expected)
    assert (widget.answer["text"], widget.answer["changed"]) == (expected.prediction, [])
    kinds = {feature["name"]: feature["kind"] for feature in widget.features}
    assert kinds == dict(zip(loans.rows.columns, ["number"] * 3 + ["category"] * 3, strict=True))
    assert widget.features[0]["label"] == "Yearly income"


def test_a_question_is_answered_first_by_the_model_and_then_by_rules(loans):
    widget = loans.explainer.widget(loans.rows, 3, k=2)
    told = asked(widget, changes={"income": 90, "job": "employed"})
    assert [next(iter(state)) for state in told] == ["changes", "answer", "board"]
    changed = loans.rows.iloc[[3]].assign(income=90, job="employed")
    expected = loans.explainer.explain(changed, k=2)
    answer, board = told[1]["answer"], told[2]["board"]
    assert (answer["number"], board["number"]) == ("n-1", "n-1")
    assert answer["probabilities"][1]["probability"] == pytest.approx(loans.ask(changed)[0, 1])
    assert sorted(answer["changed"]) == ["income", "job"]
    assert answer["own"]["income"] == loans.rows["income"].iloc[3]
    assert board["html"] == to_board(expected)
    kinds = ["current_supporting", "current_contradicting", "hypothetical_supporting", "counterfactual"]
    rules = [rule for kind in kinds for rule in getattr(expected, kind)]
    changes = [rule.rerun and {edit.feature: edit.after for edit in rule.rerun.edits} for rule in rules]
    assert board["changes"] == changes
    assert widget.explanation.to_json() == expected.to_json()
    assert widget.changes == {"income": 90, "job": "employed"}


def test_while_a_slider_moves_only_the_model_is_asked(loans):
    widget = loans.explainer.widget(loans.rows, 3)
    before = widget.explanation
    told = asked(widget, changes={"income": 91}, explain=False)
    assert [next(iter(state)) for state in told] == ["changes", "answer"]
    assert widget.explanation is before


def test_missing_values_unseen_categories_and_texts_of_categories(loans):
    widget = loans.explainer.widget(loans.rows, 3)
    (_, state) = asked(widget, changes={"savings": None, "job": "astronaut"}, explain=False)
    assert (state["answer"]["values"]["savings"], state["answer"]["values"]["job"]) == (None, "astronaut")
    (_, state) = asked(widget, row=1, changes={"job": "out of work"}, explain=False)[-2:]
    assert state["answer"]["values"]["job"] == "unemployed"
    assert state["answer"]["texts"]["job"] == "out of work"


def test_values_that_are_the_row_s_own_are_no_changes(loans):
    widget = loans.explainer.widget(loans.rows, 3)
    own = loans.rows.iloc[3]
    told = asked(widget, changes={"income": int(own["income"]), "job": own["job"]})
    assert told[0]["answer"]["changed"] == []
    assert widget.changes == {}


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"changes": {"income": "abc"}}, "column 'income': 'abc' is not a number, but text: give a number"),
        ({"changes": {"incme": 3}}, "changes: there is no feature 'incme'; did you mean 'income'?"),
        ({"row": 400}, "row=400: X has 400 rows, numbered from 0"),
        ({"row": None}, "row=None: X has 400 rows, numbered from 0"),
    ],
)
def test_a_question_that_cannot_be_answered_is_told_so(loans, question, message):
    widget = loans.explainer.widget(loans.rows, 3)
    assert asked(widget, **question) == [{"answer": {"number": "n-1", "error": message}}]
    assert (widget.row, widget.changes) == (3, {})
    assert asked(widget, number="n-2")[-1]["board"]["number"] == "n-2"  # and it lives


def test_a_model_that_fails_is_told_in_words():
    loans = Loans()
    widget = loans.explainer.widget(loans.rows, 3)
    loans.fault = RuntimeError("out of order")
    (told,) = asked(widget, changes={"income": 5})
    assert "out of order" in told["answer"]["error"]
    loans.fault = None
    assert "error" not in asked(widget, number="n-2", changes={"income": 5})[-1]["board"]
    loans.fault = RuntimeError("out of order")
    with pytest.raises(ModelError, match="out of order"):
        widget.row = 4
    with pytest.raises(ModelError, match="out of order"):
        loans.explainer.widget(loans.rows, 3)


def test_a_fault_of_our_own_is_told_and_raised(loans, monkeypatch):
    widget = loans.explainer.widget(loans.rows, 3)
    monkeypatch.setattr(widget._panel, "explain", lambda case: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        widget.question = {"number": "n-1", "row": 3, "changes": {"income": 5}, "explain": True}
    error = "this cannot be answered: ZeroDivisionError: division by zero"
    assert widget.board == {"number": "n-1", "error": error}
    assert widget.answer["number"] == "n-1"
    assert "error" not in widget.answer


def test_row_and_changes_can_be_set_from_python(loans):
    widget = loans.explainer.widget(loans.rows, 3)
    widget.changes = {"income": np.int64(95)}
    assert widget.changes == {"income": 95}
    expected = loans.explainer.explain(loans.rows.iloc[[3]].assign(income=95)).to_json()
    assert widget.explanation.to_json() == expected
    widget.row = 8
    assert (widget.changes, widget.answer["row"]) == ({}, 8)
    assert widget.explanation.to_json() == loans.explainer.explain(loans.rows.iloc[[8]]).to_json()
    with pytest.raises(InputError, match="row=-1: X has 400 rows"):
        widget.row = -1
    with pytest.raises(InputError, match="there is no feature 'age'"):
        widget.changes = {"age": 3}
    assert (widget.row, widget.changes) == (8, {})


def test_tables_and_options_that_cannot_be_used_are_refused(loans):
    for wrong, message in (
        (lambda: loans.explainer.widget(loans.rows, 400), "row=400: X has 400 rows"),
        (lambda: loans.explainer.widget(loans.rows[:0]), "X has no rows: give at least one"),
        (lambda: loans.explainer.widget(loans.rows.drop(columns="job")), "column 'job' is missing"),
        (lambda: loans.explainer.widget(loans.rows, objective="best"), "objective='best'"),
    ):
        with pytest.raises(InputError, match=message):
            wrong()


@pytest.mark.parametrize("library", ["polars", "numpy"])
def test_tables_of_other_libraries(loans, library):
    import polars as pl

    from lormika import Explainer

    numbers = loans.rows[["income", "missed_payments"]]
    table = pl.from_dict(numbers.to_dict(orient="list")) if library == "polars" else numbers.to_numpy()

    def ask(frame):
        income = frame["income"].to_numpy() if library == "polars" else frame[:, 0]
        return np.column_stack([income > 40, income <= 40]).astype(float)

    explainer = Explainer(ask, table, class_names=["high", "low"])
    widget = explainer.widget(table, 2)
    name = widget.features[0]["name"]
    widget.changes = {name: 39 if widget.answer["prediction"] == "high" else 41}
    assert widget.answer["text"] != widget.answer["before"]["text"]


def test_its_code_and_styles_need_no_network(loans):
    widget = loans.explainer.widget(loans.rows)
    for text in (widget._esm, widget._css):
        assert not re.search(r"://|\bimport\b|\bfetch\b|url\(", text)


def test_without_anywidget_it_is_the_static_view(loans, monkeypatch):
    import lormika.notebook

    monkeypatch.setattr(lormika.notebook, "find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"static view of row 3: .* \(pip install 'lormika\[notebook\]'\)") as warned:
        shown = loans.explainer.widget(loans.rows, 3, k=2)
    assert warned[0].filename == __file__
    assert isinstance(shown, Explanation)
    assert shown.to_json() == loans.explainer.explain(loans.rows.iloc[[3]], k=2).to_json()


def test_without_anywidget_nothing_of_it_is_imported():
    program = (
        "import importlib.util, sys, warnings\n"
        "sys.modules['anywidget'] = sys.modules['ipywidgets'] = None\n"
        "sys.modules.pop('anywidget')\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'anywidget' else find(name, *more)\n"
        "import numpy as np; from lormika import Explainer\n"
        "X = np.arange(40.0).reshape(20, 2)\n"
        "warnings.simplefilter('ignore')\n"
        "print(Explainer(lambda Z: (Z[:, 0] > 20).astype(int), X).widget(X).prediction)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert said.stdout == "0\n", said.stderr
