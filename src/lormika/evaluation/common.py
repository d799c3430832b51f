"""Common ground: one neighbourhood of an instance on which the rules of all explainers are measured.

It is made by this library's neighbourhood code, with a seed that no explainer has and many more generated rows than any
explainer uses, so that a rule cannot have been fitted to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.evaluation.probe import Probe
from lormika.evaluation.setting import Setting
from lormika.explainer import Explainer
from lormika.rule import Counts, Rule
from lormika.types import UserTable

_SEED = 20_200_101  # far from the seeds of the runs, which count from the plan's


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Real and generated rows around an instance, and the model's labels."""

    rows: UserTable
    labels: np.ndarray  # of texts or numbers, as the model says them

    def count(self, rule: Rule) -> Counts:
        """Rows that match a rule's conditions, its consequent, and both."""
        matching, of_class = rule.holds(self.rows), self.labels == rule.consequent
        n_both = int((matching & of_class).sum())
        return Counts(len(self.labels), int(matching.sum()), int(of_class.sum()), n_both)


class CommonGround:
    """Makes the ground of each instance when it is first needed; also holds the probe that asks about the instance."""

    def __init__(self, setting: Setting, generated: int) -> None:
        self._setting = setting
        self._made: dict[int, Ground] = {}
        self.explainer = Explainer(
            setting.model, setting.background, predictions=setting.labels,
            n_generated=generated, n_asked=0, design="random", random_state=_SEED,
        )  # fmt: skip
        self.probe = Probe(setting, self.explainer.background)

    def __getitem__(self, instance: int) -> Ground:
        if instance not in self._made:
            x = self._setting.instances.iloc[[instance]]
            sample = self.explainer.locate(x).sample
            labels = np.array(self.explainer.model.names, dtype=object)[sample.labels]
            self._made[instance] = Ground(sample.rows, labels)
        return self._made[instance]
