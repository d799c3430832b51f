"""The library itself as one of the explainers: with its defaults, and with the settings of the paper."""

from __future__ import annotations

import time

import numpy as np

from lormika.evaluation.common import CommonGround
from lormika.evaluation.measures import interestingness
from lormika.evaluation.record import Record, kinds_of, on_common_ground
from lormika.evaluation.recourse import measure_recourse, rerun_rows
from lormika.evaluation.setting import Counted, Setting
from lormika.evaluation.truth import measure_truth
from lormika.explainer import Explainer
from lormika.explanation import Explanation
from lormika.rule import Rule

_MEASURES = {"coverage": "coverage", "confidence": "confidence", "lift": "interestingness"}


class Defaults:
    """The library as users get it: the best rule is the best current supporting one, by leverage."""

    def __init__(self, setting: Setting, grounds: CommonGround, seed: int) -> None:
        self._setting, self._grounds = setting, grounds
        self._model = Counted(setting.model)
        rows = self._background(len(setting.background), seed)
        self._explainer = Explainer(
            self._model, setting.background.iloc[rows], predictions=setting.labels[rows], random_state=seed
        )

    def _background(self, rows: int, seed: int) -> np.ndarray:
        """Which rows of the background the explainer gets: all of them, whatever the seed."""
        return np.arange(rows)

    def __call__(self, instance: int) -> Record:
        """Explain an instance."""
        x = self._setting.instances.iloc[[instance]]
        self._model.reset()
        start = time.perf_counter()
        case = self._explainer.locate(x)
        explanation = case.explain()
        seconds = time.perf_counter() - start
        best, confident = _first(explanation), _first(case.explain(objective="confidence"))
        ground, probe = self._grounds[instance], self._grounds.probe
        turned = [rule.rerun.turned for rule in explanation.counterfactual if rule.rerun is not None]
        return Record(
            instance, None, seconds, self._model.calls, self._model.rows,
            rules=tuple(map(str, explanation.rules)),
            features=() if best is None else best.features,
            kinds=kinds_of(explanation.rules),
            own={} if best is None else _measured(best),
            common=on_common_ground(best, ground),
            turned=tuple(turned),
            truth=measure_truth(probe, instance, explanation.rules),
            recourse=measure_recourse(probe, instance, rerun_rows(probe, instance, explanation.counterfactual)),
            more={
                "effects": [effect.feature for effect in explanation.effects],
                "by_confidence": [] if confident is None else list(confident.features),
                "common_by_confidence": on_common_ground(confident, ground),
            },
        )  # fmt: skip


class OtherData(Defaults):
    """The library as users get it, but each run leaves out a different tenth of the background.

    By default the library draws nothing at random: this is what its explanations really vary with.
    """

    def _background(self, rows: int, seed: int) -> np.ndarray:
        numbers = np.random.default_rng(seed).permutation(rows)[rows // 10 :]
        return np.sort(numbers)


class AsInPaper:
    """The library with the paper's settings: for each table, the best rule of any kind by its measure.

    The paper names neither m nor a filter. So these are choices of the preset, and the figures depend on them. Each
    condition must raise the confidence (`productive`): without that, the rule with the highest coverage says nothing
    about the class; with `significant`, coverage is lower.

    The rule of the coverage table is the one whose features are counted, which is a choice, too: the paper does not say
    which rule it counted. Rules found by coverage have one feature; by confidence or lift two to four, more than the
    paper's rules mostly have. The tables show all three.
    """

    def __init__(self, setting: Setting, grounds: CommonGround, seed: int) -> None:
        self._setting, self._grounds = setting, grounds
        self._model = Counted(setting.model)
        self._explainer = Explainer(
            self._model, setting.background, predictions=setting.labels, random_state=seed, preset="paper"
        )

    def __call__(self, instance: int) -> Record:
        """Explain an instance, which is timed; then search its neighbourhood again for the measure of each table."""
        x = self._setting.instances.iloc[[instance]]
        self._model.reset()
        start = time.perf_counter()
        case = self._explainer.locate(x)
        explanation = case.explain(per="category")  # which kinds there are
        seconds, calls, rows = time.perf_counter() - start, self._model.calls, self._model.rows
        best = {by: rule for by in _MEASURES for rule in case.explain(k=1, objective=by).rules}
        widest, supporting = best.get("coverage"), _first(explanation)
        ground = self._grounds[instance]
        return Record(
            instance, None, seconds, calls, rows,
            rules=tuple(map(str, best.values())),
            features=() if widest is None else widest.features,
            kinds=kinds_of(explanation.rules),
            own={_MEASURES[by]: _measured(rule)[_MEASURES[by]] for by, rule in best.items()},
            common={_MEASURES[by]: on_common_ground(rule, ground)[_MEASURES[by]] for by, rule in best.items()},
            turned=tuple(rule.rerun.turned for rule in explanation.counterfactual if rule.rerun is not None),
            more={
                "features_by": {by: len(rule.features) for by, rule in best.items()},
                "current_supporting": [] if supporting is None else list(supporting.features),
            },
        )  # fmt: skip


def _first(explanation: Explanation) -> Rule | None:
    return next(iter(explanation.current_supporting), None)


def _measured(rule: Rule) -> dict[str, float]:
    return {
        "coverage": rule.coverage,
        "confidence": rule.confidence,
        "interestingness": interestingness(rule.lift),
    }
