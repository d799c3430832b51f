"""The library itself as one of the explainers: at its defaults, and at the settings of the paper."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from lormika.background import Background
from lormika.evaluation.common import CommonGround
from lormika.evaluation.measures import interestingness
from lormika.evaluation.record import Record, kinds_of, on_common_ground
from lormika.evaluation.setting import Counted, Setting
from lormika.explainer import Explainer
from lormika.explanation import Explanation
from lormika.items import equal_frequency_cuts
from lormika.rule import Rule
from lormika.search import mine_rules

PAPER_NEIGHBOURHOOD: dict[str, Any] = {"thin": "random", "design": "random", "snap": False}
"""What the paper's neighbourhood has other than the defaults; the numbers of neighbours are the same."""

PAPER_SEARCH: dict[str, Any] = {"max_conditions": 4, "min_count": 10, "m": 2.0, "filter": "productive"}
"""The paper's search, as far as it is told: an m-estimate and a filter, of which it gives neither m nor the name.

So these are choices, and the figures depend on them. Each condition must raise the confidence (`productive`): without
that, the rule with the highest coverage says nothing about the class; with `significant`, coverage is lower.
"""

_PAPER_RANGES = 3
_MEASURES = {"coverage": "coverage", "confidence": "confidence", "lift": "interestingness"}


class Defaults:
    """The library as users get it: the best rule is the best current supporting one, by leverage."""

    def __init__(self, setting: Setting, grounds: CommonGround, seed: int) -> None:
        self._setting, self._grounds = setting, grounds
        self._model = Counted(setting.model, remember=True)
        kept = self._background(len(setting.background), seed)
        self._explainer = Explainer(
            self._model, setting.background.iloc[kept], labels=setting.labels[kept], random_state=seed
        )

    def _background(self, rows: int, seed: int) -> np.ndarray:
        """Which rows of the background the explainer gets: all of them, whatever the seed."""
        return np.arange(rows)

    def __call__(self, instance: int) -> Record:
        """Explain an instance."""
        x = self._setting.instances.iloc[[instance]]
        self._model.reset()
        start = time.perf_counter()
        explanation = self._explainer.explain(x)
        seconds = time.perf_counter() - start
        calls, rows = self._model.calls, self._model.rows
        best = _first(explanation)
        confident = _first(self._explainer.explain(x, objective="confidence"))
        ground = self._grounds[instance]
        turned = [rule.rerun.turned for rule in explanation.counterfactual if rule.rerun is not None]
        return Record(
            instance, None, seconds, calls, rows,
            rules=tuple(map(str, explanation.rules)),
            features=() if best is None else best.features,
            kinds=kinds_of(explanation.rules),
            own={} if best is None else _measured(best),
            common=on_common_ground(best, ground),
            turned=tuple(turned),
            more={
                "by_confidence": [] if confident is None else list(confident.features),
                "common_by_confidence": on_common_ground(confident, ground),
            },
        )  # fmt: skip


class OtherData(Defaults):
    """The library as users get it, in every run without another tenth of the background.

    At its defaults the library draws nothing at random: this is what its explanations really vary with.
    """

    def _background(self, rows: int, seed: int) -> np.ndarray:
        kept = np.random.default_rng(seed).permutation(rows)[rows // 10 :]
        return np.sort(kept)


class AsInPaper:
    """The library at the paper's settings: for each table, the rule of any kind that is best by its measure.

    The rule of the coverage table is the one whose features are counted, which is a choice, too: the paper does not say
    which rule it counted. Rules found by coverage have one feature; by confidence or lift two to four, more than the
    paper's rules mostly have. The tables show all three.
    """

    def __init__(self, setting: Setting, grounds: CommonGround, seed: int) -> None:
        self._setting, self._grounds = setting, grounds
        self._model = Counted(setting.model, remember=True)
        self._explainer = Explainer(
            self._model, setting.background, labels=setting.labels, random_state=seed,
            cuts=whole_table_cuts(grounds.explainer.background), **PAPER_NEIGHBOURHOOD,
        )  # fmt: skip

    def __call__(self, instance: int) -> Record:
        """Explain an instance, which is timed; then search its neighbourhood again for the measure of each table."""
        x = self._setting.instances.iloc[[instance]]
        self._model.reset()
        start = time.perf_counter()
        explanation = self._explainer.explain(x, **PAPER_SEARCH)
        seconds = time.perf_counter() - start
        sample = explanation.sample
        assert sample is not None
        search = partial(mine_rules, sample.rows, sample.label_names, k=1, cuts=self._explainer.cuts, **PAPER_SEARCH)
        best = {by: _best(search(objective=by)) for by in _MEASURES}
        found = {by: rule for by, rule in best.items() if rule is not None}
        widest, supporting = best["coverage"], _first(explanation)
        ground = self._grounds[instance]
        return Record(
            instance, None, seconds, self._model.calls, self._model.rows,
            rules=tuple(map(str, found.values())),
            features=() if widest is None else widest.features,
            kinds=kinds_of(explanation.rules),
            own={_MEASURES[by]: _measured(rule)[_MEASURES[by]] for by, rule in found.items()},
            common={_MEASURES[by]: on_common_ground(rule, ground)[_MEASURES[by]] for by, rule in found.items()},
            turned=tuple(rule.rerun.turned for rule in explanation.counterfactual if rule.rerun is not None),
            more={
                "features_by": {by: len(rule.features) for by, rule in found.items()},
                "current_supporting": [] if supporting is None else list(supporting.features),
            },
        )  # fmt: skip


def whole_table_cuts(background: Background) -> dict[str, list[float]]:
    """Three ranges of each number with about equally many rows of the whole table, not of a neighbourhood.

    The paper makes them before it splits the table. So most rows of a neighbourhood may share a range, and a rule may
    cover nearly all of them.
    """
    cuts = {}
    for f, feature in enumerate(background.schema.features):
        if feature.is_numeric:
            values = background.distinct[f][background.codes[f]]
            cuts[feature.name] = equal_frequency_cuts(values[~np.isnan(values)], _PAPER_RANGES).tolist()
    return cuts


def _first(explanation: Explanation) -> Rule | None:
    return next(iter(explanation.current_supporting), None)


def _best(rules: list[Rule]) -> Rule | None:
    return rules[0] if rules else None


def _measured(rule: Rule) -> dict[str, float]:
    return {
        "coverage": rule.coverage,
        "confidence": rule.confidence,
        "interestingness": interestingness(rule.lift),
    }
