"""The sentences: careful words, right for every sort of explanation."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cases import CASES, golden
from lormika import Explanation
from lormika.explanation import AskedSummary, Effect
from lormika.rule import Category, Check, Counts, Edit, Equals, Rerun, Rule
from lormika.views.words import percent, percents

SOME = ["binary", "seven_classes", "all_categorical", "all_numeric", "missing_values", "confirmed", "no_single"]


@pytest.mark.parametrize("name", CASES)
def test_it_never_claims_a_cause(name):
    assert not re.search(r"\b(because|due to|causes?|leads? to|therefore)\b", CASES[name]().summary(), re.I)


@pytest.mark.parametrize("name", [name for name in SOME if name != "missing_values"])
def test_it_says_the_prediction_and_the_best_reason(name):
    explanation = CASES[name]()
    best = explanation.current_supporting[0]
    summary = explanation.summary()
    chance = "" if explanation.probability is None else f" ({percent(explanation.probability)})"
    assert summary.startswith(f"The model predicts {explanation.prediction}{chance}.")
    for condition in best.conditions:
        assert str(condition) in summary
    share, usual = percents(best.confidence, best.counts.share_without)
    if best.weak:
        assert "No rule of similar cases was confirmed, but it rests on" in summary
    elif best.confidence < 0.5:
        assert f"the share predicted {explanation.prediction} is {share} instead of {usual}" in summary
    else:
        assert f"{share} are also predicted {explanation.prediction} ({usual} of all similar cases are)" in summary


def changes_of(text: str) -> set[tuple[str, str]]:
    pattern = " together with " if " together with " in text else r", (?=[^,]* to )| and (?=[^,]* to )"
    parts = re.split(pattern, text)
    return {tuple(part.rsplit(" to ", 1)) for part in parts}


@pytest.mark.parametrize("name", SOME)
def test_it_says_only_what_the_model_did(name):
    explanation = CASES[name]()
    summary = explanation.summary()
    turned = [rule.rerun for rule in explanation.counterfactual if rule.rerun.turned]
    assert ("turns it to" in summary) == bool(turned)
    pattern = r"(?:[Cc]hanging|so does changing) (.*?)(?: \(\d[\d.]*%\)| turns it to|, and so| – |\. |;)"
    changes = re.findall(pattern, summary.replace(", and so does", " – and so does"))
    assert bool(changes) == bool(turned)
    for change in changes:
        assert any({(e.feature, e.texts[1]) for e in r.edits} == changes_of(change) for r in turned), change


def test_what_speaks_against_it_is_named():
    explanation = CASES["confirmed"]()
    against = explanation.current_contradicting[0]
    assert f"On the other hand, among similar cases with {against.conditions[0]}" in explanation.summary()
    assert f"are predicted {against.consequent}" in explanation.summary()


def test_without_a_supporting_rule_it_says_so():
    explanation = replace(golden("explanation"), rules=golden("explanation").current_contradicting)
    assert "No rule was found that supports it." in explanation.summary()
    assert "On the other hand" not in explanation.summary()


def test_without_rules_only_the_prediction_and_what_was_asked_are_left():
    explanation = replace(golden("explanation"), rules=(), effects=())
    summary = explanation.summary()
    assert summary.startswith("The model predicts rejected (65%). No change of one or two features turned it")
    assert "Every rule" not in summary
    assert replace(explanation, asked=None).summary() == "The model predicts rejected (65%)."


def test_less_than_half_is_told_as_a_shift():
    explanation = golden("explanation")
    rule = replace(explanation.current_supporting[0], counts=Counts(1000, 100, 270, 37))
    summary = replace(explanation, rules=(rule,)).summary()
    assert "the share predicted rejected is 37% instead of 27%; without that, the probability of rejected" in summary
    assert "37% are" not in summary
    weak = replace(explanation, rules=(replace(rule, weak=True),)).summary()
    assert f"but it rests on {rule.conditions[0]}: without that, it is less certain on average (" in weak
    assert "37%" not in weak


@pytest.mark.parametrize(
    ("rows", "hits", "said"),
    [
        (870, 757, "87% are also predicted rejected (as many as of all similar cases)"),
        (400, 148, "the share predicted rejected is 37%, as usual"),
    ],
)
def test_a_share_like_the_usual_one_is_not_said_to_stand_instead_of_it(rows, hits, said):
    explanation = golden("explanation")
    counts = Counts(rows * 10, rows, hits * 10, hits)
    rule = replace(explanation.current_supporting[0], counts=counts)
    explanation = replace(explanation, rules=(rule,))
    assert said in explanation.summary()
    assert "instead of" not in explanation.summary()
    assert f"{percent(rule.confidence)} as usual" in explanation.to_text()


# Changes

ALL, PART = AskedSummary(38, 38, 612, 612, 1, 3000), AskedSummary(38, 120, 500, 2400, 2, 4000)


def rerun(label: str, probability: float | None = 0.2, **after: int) -> Rerun:
    edits = tuple(Edit(name, 0, value) for name, value in after.items())
    return Rerun(edits, label, probability, turned=label != "rejected")


def changes(*reruns: Rerun, asked: AskedSummary | None = None, effects: tuple[Effect, ...] = ()) -> str:
    """What is said of some re-runs, without what comes before and after."""
    explanation, counts = golden("explanation"), Counts(9, 3, 4, 2)
    check = None if asked is None else Check(1, 1, 0.7, 0.2)
    rules = [
        Rule((Equals("a", 1),), "no", counts, 0.1, category=Category.COUNTERFACTUAL, rerun=one, check=check)
        for one in reruns
    ]
    summary = replace(explanation, rules=tuple(rules), asked=asked, effects=effects).summary()
    return re.sub(
        r"^The model .*?\)\.( No rule was found that supports it\.)? ?|( ?Every rule| ?The model was).*$", "", summary
    )


@pytest.mark.parametrize(
    ("reruns", "said"),
    [
        ([], ""),
        ([rerun("no", a=1)], "Changing a to 1 turns it to no (80%) – checked"),
        (
            [rerun("no", a=1), rerun("no", 0.05, b=2)],
            "Changing a to 1 turns it to no (80%), and so does changing b to 2 (95%) – both checked",
        ),
        (
            [rerun("no", b=2, c=3), rerun("no", a=1)],
            "Changing a to 1 turns it to no (80%), and so does changing b to 2 together with c to 3 (80%) – both "
            "checked",
        ),
        (
            [rerun("no", a=1), rerun("maybe", None, b=2)],
            "Changing a to 1 turns it to no (80%); changing b to 2 turns it to maybe – both checked",
        ),
        ([rerun("no", a=1), rerun("no", a=1, b=2)], "Changing a to 1 turns it to no (80%) – checked"),
        ([rerun("no", a=0), rerun("no", a=-1)], "Changing a to 0 turns it to no (80%) – checked"),
        ([rerun("rejected", a=1)], "The one change that the rules suggest did not turn the prediction"),
        (
            [rerun("rejected", a=1), rerun("rejected", b=1)],
            "Neither of the two changes that the rules suggest turned the prediction",
        ),
        (
            [rerun("rejected", a=i) for i in (1, 2, 3)],
            "None of the 3 changes that the rules suggest turned the prediction",
        ),
    ],
)
def test_without_confirmation_each_change_is_said_with_what_it_does(reruns, said):
    end = " by asking the model again." if "checked" in said else " when the model was asked again." if said else ""
    assert changes(*reruns) == said + end


def effect(name: str, label: str = "accepted", constant: bool = False) -> Effect:
    return Effect(name, 1.0, 1.0, constant, (5,), (0.3 if label == "accepted" else 0.6,), (label,))


@pytest.mark.parametrize(
    ("reruns", "asked", "effects", "said"),
    [
        ([rerun("no", a=1)], ALL, (), "Changing a to 1 turns it to no (80%). No other feature turned it alone."),
        ([rerun("no", a=1)], PART, (), "Changing a to 1 turns it to no (80%)."),
        (
            [rerun("no", age=1)],
            ALL,
            ("age", "income", "savings"),
            "Changing age to 1 turns it to no (80%). A change of income or savings alone can turn it, too.",
        ),
        (
            [rerun("no", a=1, b=2)],
            ALL,
            (),
            "No change of one feature turned it (38 values were tried); changing a to 1 together with b to 2 turns it "
            "to no (80%).",
        ),
        (
            [rerun("no", a=1, b=2)],
            PART,
            (),
            "No change of one feature that was tried turned it (38 of 120 values); changing a to 1 together with b to "
            "2 turns it to no (80%).",
        ),
        ([], ALL, (), "No change of one or two features turned it (38 values and 612 pairs were tried)."),
        (
            [],
            PART,
            (),
            "No change that was tried turned it (38 of 120 values, 500 of 2,400 pairs).",
        ),
        (
            [rerun("no", a=1, b=2, c=3)],
            replace(ALL, all_pairs=700),
            (),
            "No change of one feature turned it (38 values were tried), nor did any pair that was tried "
            "(612 of 700); changing a to 1, b to 2 and c to 3 turns it to no (80%).",
        ),
        ([], ALL, ("income",), ""),  # one that no rule may name: nothing is claimed of single changes
        ([], replace(ALL, singles=0, all_singles=0, pairs=0, all_pairs=0), (), ""),
    ],
)
def test_what_is_claimed_of_changes_was_tried(reruns, asked, effects, said):
    assert changes(*reruns, asked=asked, effects=tuple(map(effect, effects))) == said


def test_with_more_classes_only_the_label_is_known():
    explanation = golden("explanation")
    third = replace(explanation.classes[0], label="maybe")
    summary = replace(explanation, classes=(*explanation.classes, third)).summary()
    assert "Changing employment to employed turns it to accepted, and so does changing savings to 6.1." in summary


def test_a_feature_that_similar_cases_share_is_named_if_it_matters():
    said = "All similar cases have the same value of phone; still, the prediction depends on it."
    assert said in changes(asked=ALL, effects=(effect("phone", "rejected", constant=True),))
    small = tuple(effect(name, "rejected") for name in ("age", "income", "amount"))
    assert "same" not in changes(asked=ALL, effects=(*small, effect("phone", "rejected", constant=True)))
    assert said in changes(asked=ALL, effects=(*small, effect("phone", constant=True)))
    both = effect("phone", constant=True), effect("purpose", constant=True)
    assert "have the same values of phone and purpose; still, the prediction depends on both." in changes(
        asked=ALL, effects=both
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (ALL, "38 changes of one value and 612 of two."),
        (PART, "38 of 120 changes of one value and 500 of 2,400 of two."),
        (replace(ALL, pairs=500), "all 38 changes of one value and 500 of 612 of two."),
        (replace(ALL, pairs=0, all_pairs=0), "38 changes of one value."),
        (replace(ALL, singles=1, all_singles=1, pairs=0, all_pairs=0), "1 change of one value."),
    ],
)
def test_how_much_was_asked_is_said_last(asked, said):
    explanation: Explanation = replace(golden("explanation"), asked=asked)
    assert explanation.summary().endswith(f"Every rule here was checked by asking the model about this case: {said}")
    unchecked = replace(explanation, rules=(replace(explanation.rules[0], check=None), *explanation.rules[1:]))
    assert "Every rule" not in unchecked.summary()
