"""Trials: what the model says about edits of an instance, asked for in as few calls as possible.

The work on one instance is a generator: it yields rows to ask the model about, and receives the answer. So one instance
and many run the same code, and instances that are processed together share every call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.models import Answer
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.borders import add_fine, border_values
from lormika.stages.edits import Edits, Pairs, count_pairs, make_pairs
from lormika.stages.effects import effects, largest_changes
from lormika.stages.responses import Responses, respond
from lormika.stages.turning import TargetPairs, combine_pairs


@dataclass(frozen=True, slots=True, eq=False)
class Unlike:
    """Real rows that the model labels differently than the instance, the nearest first."""

    rows: np.ndarray  # encoded
    labels: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Edits of an instance, and what the model said about them."""

    own: Answer  # about the instance
    edits: Edits
    singles: Responses
    pairs: TargetPairs
    asked_pairs: int
    wanted_pairs: int
    all_pairs: int
    effects: np.ndarray  # of each feature
    largest: np.ndarray  # of each feature: the largest change by any value, fine ones aside
    unlike: Unlike

    @property
    def weights(self) -> np.ndarray:
        """Weights of the scores of rules: squared effects, so that features that hardly matter rank low."""
        weights: np.ndarray = self.effects**2
        return weights


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Edits that go into the first call, along with the sample."""

    edits: Edits
    pairs: Pairs
    wanted_pairs: int  # more than there are pairs: these come later
    all_pairs: int  # also of rare categories, which do not go into pairs

    @classmethod
    def of(cls, edits: Edits, most: int) -> Plan:
        """All pairs, if that many rows are allowed; otherwise none, until it is known which are worth asking about.

        Fine single edits have to fit beside them.
        """
        wanted, chosen = count_pairs(edits, edits.pairable), edits.pairable[:0]
        if wanted + int(edits.is_coarse.sum()) <= most:
            edits, chosen = edits.at_most(most - wanted), edits.pairable
        return cls(edits, make_pairs(edits, chosen), wanted, count_pairs(edits, np.arange(len(edits.target_item))))

    def rows(self) -> np.ndarray:
        """Encoded rows of the single edits, then of the pairs."""
        singles = np.arange(len(self.edits))
        return self.edits.rows(np.concatenate([np.column_stack([singles, singles]), self.pairs.singles]))


def try_edits(
    background: Background, plan: Plan, own: Answer, answer: Answer, unlike: Unlike, most: int
) -> Asking[Trials]:
    """Continue from the answers about the instance and the plan's rows."""
    edits, pairs = plan.edits, plan.pairs
    singles, paired = respond(own, answer[: len(edits)]), respond(own, answer[len(edits) :])
    borders = border_values(background, edits, singles, most)
    rows = [borders.rows(edits.instance)]
    has_more = len(pairs) < plan.wanted_pairs
    if has_more:
        pairs = _strongest_pairs(edits, singles, most)
        rows.append(edits.rows(pairs.singles))
    size = len(borders.value)
    if size + len(pairs) * has_more:
        answer = yield np.concatenate(rows)
        paired = respond(own, answer[size:]) if has_more else paired
    if size:
        edits, order = add_fine(edits, borders)
        singles = singles.and_then(respond(own, answer[:size]), order)
    combined = combine_pairs(edits, pairs, paired)
    largest = largest_changes(edits, singles)
    means = effects(edits, singles, largest)
    return Trials(own, edits, singles, combined, len(pairs), plan.wanted_pairs, plan.all_pairs, means, largest, unlike)


def _strongest_pairs(edits: Edits, singles: Responses, most: int) -> Pairs:
    """Pairs among the targets that change the certainty most, for as many targets as fit."""
    strength = np.abs(singles.change[edits.levels.take(edits.pairable, axis=0)]).max(axis=1)
    ranked = edits.pairable[np.argsort(-strength, kind="stable")]
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        if count_pairs(edits, ranked[:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return make_pairs(edits, np.sort(ranked[:low]))
