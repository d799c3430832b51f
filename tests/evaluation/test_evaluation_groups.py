"""Tables of what is true here and of recourse: from records to values; and interpreters of single rivals."""

from __future__ import annotations

import sys

import pytest

from lormika import Explainer
from lormika.errors import InputError
from lormika.evaluation import Ledger, Plan, evaluate, make_tables
from lormika.evaluation.ledger import Content
from lormika.evaluation.ours import Defaults
from lormika.evaluation.plan import RIVALS, Cell, read_interpreters
from lormika.evaluation.record import Record
from lormika.evaluation.setting import Counted

PLAN = Plan(datasets=("loans",), models=("tree",), instances=2, runs=2, train_rows=400, common_rows=200)

RULES = {  # two runs of one instance
    "truth": [
        {"current_supporting": [1.0, 0.0], "hypothetical_contradicting": [0.25], "missed_single": 1.0,
         "repeated": {"hypothetical_supporting": [0.0, 1.0], "hypothetical_contradicting": [0.0]}},
        {"current_supporting": [1.0], "hypothetical_contradicting": [], "missed_single": None, "repeated": {}},
    ],
    "recourse": [
        {"valid": [False, True, True], "changed": [3, 2, 1], "distance": [0.1, 0.2, 0.3],
         "to_data": [None, 0.4, 0.2], "violations": [1, 0, 0], "features": [["age", "income"], ["income"], ["age"]]},
        {"valid": [], "changed": [], "distance": [], "to_data": [], "violations": [], "features": []},
    ],
    "turned": [(False, True, True), ()],
    "kinds": [{"current_supporting": 2}, {"current_supporting": 1}],
    "more": [{"effects": ["age", "income", "debt"]}, {"effects": ["age", "debt", "phone"]}],
}  # fmt: skip
ROWS = {
    "truth": [{"missed_single": 0.0}],
    "recourse": [{"valid": [True], "changed": [1], "distance": [0.1], "to_data": [0.3], "violations": [0],
                  "features": [["age"]]}],
}  # fmt: skip
WITHOUT = {  # an explainer of why alone
    "truth": [{"current_supporting": [1.0], "missed_single": 1.0, "repeated": {}}],
    "recourse": [{"valid": [], "changed": [], "distance": [], "to_data": [], "violations": [], "features": []}],
    "kinds": [{"current_supporting": 1}],
}


@pytest.fixture(scope="module")
def means(tmp_path_factory):
    """Mean of each measure and explainer."""
    ledger = Ledger(tmp_path_factory.mktemp("groups") / "e")
    with ledger.open(PLAN):
        for name, fields in {"rules": RULES, "rows": ROWS, "why": WITHOUT}.items():
            for run in range(len(fields["truth"])):
                record = Record(0, None, 1.0, **{field: values[run] for field, values in fields.items()})
                ledger.write(Cell("loans", "tree", name, run), Content([record]))
    return {
        (table.measure.name, key[2]): entry.mean
        for table in make_tables(ledger)
        for key, entry in table.entries.items()
    }


@pytest.mark.parametrize(
    ("measure", "rules", "rows", "why"),
    [
        ("true-current-supporting", 2 / 3, None, 1),
        ("inside", 0.25, None, None),
        ("turned-any", 0.5, 1, None),
        ("missed-single", 1, 0, None),
        ("repeated-hypothetical-supporting", 0.5, None, None),
        ("repeated-counterfactual", 0, None, None),
        ("jaccard-counterfactual", 0, None, None),  # one run has none: they do not agree
        ("jaccard-effect", 1, None, None),
        ("jaccard-effects", 0.5, None, None),
        ("recourse-valid", 2 / 3, 1, None),
        ("recourse-features-first", 3, 1, None),
        ("recourse-features-least", 1, 1, None),
        ("recourse-distance-first", 0.1, 0.1, None),
        ("recourse-distance-least", 0.2, 0.1, None),
        ("recourse-distance-data", 0.3, 0.3, None),
        ("recourse-violations", 1 / 3, 0, None),
        ("found-current-supporting", 1, None, 1),  # one that gives rows has no place there
        ("found-hypothetical-contradicting", 0, None, 0),
    ],
)
def test_values_by_hand(means, measure, rules, rows, why):
    expected = {"rules": rules, "rows": rows, "why": why}
    shown = {name: means[measure, name] for name in expected if (measure, name) in means}
    assert shown == {name: pytest.approx(value) for name, value in expected.items() if value is not None}


def test_what_the_evaluation_asks_is_not_counted(setting, grounds):
    model = Counted(setting.model)
    explainer = Explainer(model, setting.background, predictions=setting.labels)
    model.reset()
    explainer.explain(setting.instances.iloc[[0]])
    record = Defaults(setting, grounds, 0)(0)
    assert (record.calls, record.rows) == (model.calls, model.rows)
    assert set(record.truth) >= {"current_supporting", "repeated", "missed_single"}
    assert record.recourse["valid"] == list(record.turned)  # asked by the library, and by the evaluation


# Interpreters.


def test_interpreters_from_the_command_line():
    assert read_interpreters(["a/python"]) == dict.fromkeys(RIVALS, "a/python")
    assert read_interpreters(["nice=b/python"]) == {"nice": "b/python"}
    both = dict.fromkeys(RIVALS, "a/python") | {"nice": "b/python"}
    assert read_interpreters(["nice=b/python", "a/python"]) == both
    assert read_interpreters(["x/y=z/python"])["lore"] == "x/y=z/python"


def test_interpreters_of_a_plan():
    assert Plan().python_of("anchor") == sys.executable
    assert Plan(baseline_python="p").python_of("nice") == "p"
    named = Plan(baseline_python={"nice": "p"})
    assert (named.python_of("nice"), named.python_of("lore")) == ("p", sys.executable)
    with pytest.raises(InputError, match="baseline_python: there is no 'nic'; choose from anchor"):
        Plan(baseline_python={"nic": "p"})


def test_a_rival_apart_says_what_it_needs(tmp_path):
    with pytest.raises(InputError, match=r"nice/bin/pip install NICEx scikit-learn=="):
        next(evaluate(Plan(datasets=("loans",), explainers=("nice",), baseline_python="/bin/false"), tmp_path / "e"))
