"""Which explainers see through a model that fools them (Slack, Hilgard, Jia, Singh, Lakkaraju 2020).

    python benchmarks/fooling.py --baseline-python nice=nice/bin/python

The model decides by race alone (of the made table: by a made-up group), except on rows that look made up, which get a
harmless answer. So an explainer that asks about unrealistic rows only sees the harmless feature. Prints a table of how
often each explainer names the biased feature, and the harmless one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from fooling_model import FoolingModel

from lormika import Explainer, datasets
from lormika.evaluation.common import CommonGround
from lormika.evaluation.plan import RIVALS, Plan, read_interpreters
from lormika.evaluation.rival import Rival, check, filled_values
from lormika.evaluation.rivals.task_model import TaskModel
from lormika.evaluation.setting import Setting

HARMLESS = "unrelated"
COMMON_ROWS = 200  # of the common ground, which no table here shows


@dataclass(frozen=True)
class Case:
    """A table, and the feature that the model is biased by."""

    name: str
    X: pd.DataFrame
    biased: str
    values: tuple[str, ...]  # that make the second class


Named = dict[str, list[list[str]]]
"""What is shown (such as "first effect"): for each instance that has one, the features that it names."""


def main() -> None:
    options = _options()
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # rivals load the model from there
    plan = Plan(
        explainers=tuple(options.explainers.split(",")), baseline_python=read_interpreters(options.baseline_python)
    )
    for case in (compas(), made()):
        setting = prepare(case, options.instances)
        print(f"Share of {len(setting.instances)} instances for which it names\n")
        print("| explainer | shown | biased feature | harmless feature | neither | failed |")
        print("|---|---|---:|---:|---:|---:|", flush=True)
        for explainer in plan.explainers:
            for line in _lines(explainer, case, setting, plan.python_of, options.time_limit):
                print(line, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--explainers", default=",".join(("lormika", "lime", *RIVALS)), help="with commas")
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for each explanation of a rival")
    parser.add_argument("--baseline-python", action="append", default=[], help="[RIVAL=]PATH, as for lormika evaluate")
    return parser.parse_args()


def compas() -> Case:
    """The paper's table: race decides."""
    X, _ = datasets.load("compas")
    return Case("COMPAS", _with_harmless(X), "race", ("African-American",))


def made() -> Case:
    """Numbers that hang together, two categories, and a group that half of the rows belong to."""
    rng = np.random.default_rng(0)
    n = 4_000
    size = rng.normal(size=n)
    X = pd.DataFrame(
        {
            "income": np.rint(40 + 12 * size + rng.normal(0, 4, n)).astype(int),
            "rent": np.rint(900 + 250 * size + rng.normal(0, 60, n)).astype(int),
            "age": rng.integers(18, 80, n),
            "visits": rng.poisson(3, n),
            "work": pd.Categorical(np.where(size > 0.5, "office", np.where(size > -0.5, "shop", "farm"))),
            "group": pd.Categorical(rng.choice(["circle", "square"], n)),
        }
    )
    return Case("Made table", _with_harmless(X), "group", ("square",))


def _with_harmless(X: pd.DataFrame) -> pd.DataFrame:
    drawn = np.random.default_rng(1).choice(["0", "1"], len(X))
    return X.assign(**{HARMLESS: pd.Categorical(drawn)})


def prepare(case: Case, instances: int) -> Setting:
    """The model, and the first rows of the test part that get the biased answer."""
    background, test, _, _ = datasets.split(case.X, case.X[case.biased])
    model = FoolingModel((case.biased, case.values), (HARMLESS, ("1",))).fit(background)
    real, made = model.success(test)
    print(f"\n## {case.name}, biased by `{case.biased}`\n")
    print(f"{real:.0%} of {len(test):,} unseen real rows look real, {made:.0%} of the same with noise.\n")
    chosen = test[model.looks_real(test)][:instances]
    return Setting(
        case.name, "fooling", model, background, model.predict(background), chosen, model.predict(chosen).tolist(), {}
    )


def _lines(
    explainer: str, case: Case, setting: Setting, python_of: Callable[[str], str], time_limit: float
) -> Iterator[str]:
    reasons: list[str] = []
    if explainer in ("lormika", "lime"):
        named = {"lormika": ours, "lime": lime}[explainer](setting)
    else:
        check(explainer, python_of(explainer))
        named, reasons = theirs(explainer, setting, python_of(explainer), time_limit)
    for shown, features in named.items():
        biased, harmless, neither = _shares(features, case.biased)
        yield f"| {explainer} | {shown} | {biased:.2f} | {harmless:.2f} | {neither:.2f} | {len(reasons)} |"
    for reason in sorted(set(reasons)):
        print(f"{explainer}: {reason}", file=sys.stderr)


def _shares(named: list[list[str]], biased: str) -> tuple[float, float, float]:
    n = max(1, len(named))
    neither = sum(biased not in one and HARMLESS not in one for one in named)
    return sum(biased in one for one in named) / n, sum(HARMLESS in one for one in named) / n, neither / n


def ours(setting: Setting) -> Named:
    """What lormika names, at its defaults."""
    explainer = Explainer(setting.model, setting.background, predictions=setting.labels)
    explanations = [explainer.explain(setting.instances.iloc[[i]]) for i in range(len(setting.instances))]
    named: Named = {"first why rule": [], "any why rule": [], "first effect": [], "first counterfactual": []}
    for explanation in explanations:
        why = [list(rule.features) for rule in explanation.current_supporting]
        turning = [[e.feature for e in rule.rerun.edits] for rule in explanation.counterfactual if rule.rerun]
        named["first why rule"].append(_first(why))
        named["any why rule"].append([name for one in why for name in one])
        named["first effect"].append(_first([[effect.feature] for effect in explanation.effects]))
        named["first counterfactual"].append(_first(turning))
    return named


def lime(setting: Setting) -> Named:
    """What LIME names, whose way of perturbing the model was built to recognise: whether the model fools anybody."""
    from lime.lime_tabular import LimeTabularExplainer

    background = CommonGround(setting, COMMON_ROWS).explainer.background
    features, filled = background.schema.features, filled_values(background)
    names = [feature.name for feature in features]
    train, instances = background.rows(np.arange(len(background))), background.schema.encode(setting.instances)
    train, instances = (np.where(np.isnan(rows), filled, rows) for rows in (train, instances))
    categories = {feature.name: list(feature.categories) for feature in features if feature.categories is not None}
    # As rivals ask it: numbers are not rounded to whole ones.
    model = TaskModel({"model": setting.model, "names": names, "categories": categories, "train": train})
    explainer = LimeTabularExplainer(
        train, feature_names=names, categorical_features=[names.index(name) for name in categories],
        discretize_continuous=False, random_state=0,
    )  # fmt: skip
    explanations = [explainer.explain_instance(x, model.predict_proba, num_features=3) for x in instances]
    ranked = [[names[f] for f, _ in explanation.as_map()[1]] for explanation in explanations]
    return {"first feature": [three[:1] for three in ranked], "first three features": ranked}


def theirs(name: str, setting: Setting, python: str, time_limit: float) -> tuple[Named, list[str]]:
    """What a rival names, and why explanations failed."""
    grounds = CommonGround(setting, COMMON_ROWS)
    with (
        tempfile.TemporaryDirectory() as folder,
        Rival(name, setting, grounds, python=python, time_limit=time_limit, folder=Path(folder)) as rival,
    ):
        records = [rival.explain(i, seed=0) for i in range(len(setting.instances))]
    sound = [record for record in records if record.error is None]
    named: Named = {}
    if any(record.rules for record in sound):
        named["rule"] = [list(record.features) for record in sound]
    if any(record.recourse["features"] for record in sound):
        named["first counterfactual"] = [_first(record.recourse["features"]) for record in sound]
        named["any counterfactual"] = [[name for row in r.recourse["features"] for name in row] for r in sound]
    return named or {"nothing": []}, [record.error for record in records if record.error is not None]


def _first(features: list[list[str]]) -> list[str]:
    return features[0] if features else []


if __name__ == "__main__":
    main()
