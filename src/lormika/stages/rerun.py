"""Rules that are not confirmed: which are shown, and what the model says once a hypothetical one is made true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lormika.options import SearchOptions
from lormika.rule import Missing, Rerun, Rule
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.edits import describe, smallest_edit
from lormika.stages.sample import Sample
from lormika.stages.search import Candidate, Space, make_lists


def find_rules(space: Space, options: SearchOptions, weights: np.ndarray | None, *, to_missing: bool) -> list[Rule]:
    """The k best rules of each list; without `to_missing`, none that would require removing a value.

    Removing a value is not a change to suggest. So ever longer lists are searched until k other rules are found, or
    there are no more.
    """
    lists, size, candidates = make_lists(space, options.per), options.k, list[Candidate]()
    while True:
        candidates = space.find(options, lists, size, weights, candidates)
        numbers = [_list_of(space, lists, candidate) for candidate in candidates]
        best: list[Candidate] = []
        counts: Counter[int] = Counter()
        for candidate, number in zip(candidates, numbers, strict=True):
            if counts[number] < options.k and (to_missing or not _takes_away(space, candidate)):
                counts[number] += 1
                best.append(candidate)
        enough = all(counts[number] == options.k or rules < size for number, rules in Counter(numbers).items())
        if enough or space.incomplete:
            return [space.make_rule(candidate) for candidate in best]
        size *= 2


def _list_of(space: Space, lists: np.ndarray, candidate: Candidate) -> int:
    return int(lists[int(space.category(candidate).is_current), candidate.consequent])


def _takes_away(space: Space, candidate: Candidate) -> bool:
    """Whether a rule says that a value is missing although the instance has it."""
    items = space.items
    return any(isinstance(items.condition(i), Missing) and i not in items.own for i in candidate.items)


def rerun(
    background: Background, sample: Sample, instance: np.ndarray, prediction: int, rules: Sequence[Rule]
) -> Asking[list[Rule]]:
    """Give every hypothetical rule its re-run: the smallest edit of the instance that makes it true."""
    hypothetical = [rule for rule in rules if _is_hypothetical(rule)]
    if not hypothetical:
        return list(rules)
    rows = np.stack([smallest_edit(background, sample.encoded, instance, rule.conditions) for rule in hypothetical])
    answer = yield rows
    reruns = iter(
        Rerun(
            describe(background, instance, row),
            sample.classes[label],
            None if answer.probabilities is None else float(answer.probabilities[i, prediction]),
            bool(label != prediction),
            value=None if answer.values is None else float(answer.values[i]),
        )
        for i, (row, label) in enumerate(zip(rows, answer.labels.tolist(), strict=True))
    )
    return [replace(rule, rerun=next(reruns)) if _is_hypothetical(rule) else rule for rule in rules]


def _is_hypothetical(rule: Rule) -> bool:
    return rule.category is not None and not rule.category.is_current
