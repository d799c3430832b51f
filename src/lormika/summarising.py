"""Summarising: a case and its rules as an explanation, with everything that is needed to read them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from lormika.explanation import Explanation
from lormika.frames.values import plain
from lormika.goals import Aim
from lormika.models import Answer
from lormika.options import SearchOptions, Settings
from lormika.parts import Parts
from lormika.rule import Rule
from lormika.stages.effects import telling
from lormika.stages.naming import name_single
from lormika.stages.notes import Note, Notes
from lormika.stages.sample import Sample
from lormika.summaries import AskedSummary, ClassSummary, Effect, Incomplete, NeighbourhoodSummary
from lormika.types import JsonObject
from lormika.version import __version__

if TYPE_CHECKING:
    from lormika.case import Case


def summarise(case: Case, rules: list[Rule], options: SearchOptions, incomplete: Incomplete | None) -> Explanation:
    """The explanation of a case by these rules."""
    parts, near, sample = case.parts, case.near, case.sample
    prediction, schema = sample.classes[case.prediction], parts.background.schema
    instance = schema.decode(case.instance)
    observed = {f.name: parts.background.observed(i) for i, f in enumerate(schema.features) if f.is_numeric}
    return Explanation(
        instance=instance,
        prediction=prediction,
        rules=tuple(name_single(_in_values(rule, case.answer), observed, instance) for rule in rules),
        notes=tuple(_notes(case, rules, options, incomplete)),
        features=parts.features,
        classes=_classes(sample, case.answer),
        neighbourhood=NeighbourhoodSummary(
            near.n_real,
            len(near.rows) - near.n_real,
            near.neighbours,
            math.exp(-near.cut / (2 * parts.kernel_width**2)),
        ),
        options=_options(parts, options, case.aim),
        versions={"lormika": __version__, "numpy": np.__version__},
        unit=case.answer.unit,
        effects=tuple(_effects(case)),
        asked=_asked(case),
        incomplete=incomplete,
        sample=sample,
        labels=parts.labels,
        value=None if case.answer.values is None else float(case.answer.values[0]),
        bands=() if case.answer.bands is None else case.answer.bands.edges,
    )


def _in_values(rule: Rule, answer: Answer) -> Rule:
    """What was measured in spreads of a regressor's values, as values."""
    bands, values, check = answer.bands, answer.values, rule.check
    if bands is None or values is None or check is None:
        return rule
    value = None if check.value is None else float(values[0]) + bands.spread * check.value
    return replace(
        rule, check=replace(check, before=bands.spread * check.before, after=bands.spread * check.after, value=value)
    )


def _notes(case: Case, rules: list[Rule], options: SearchOptions, incomplete: Incomplete | None) -> Iterator[Note]:
    parts, near = case.parts, case.near
    if incomplete is not None:
        yield Note(str(incomplete))
    notes = Notes(parts.background, case.sample, rules, options, case.answer.unit, case.goal, parts.labels)
    yield from notes.about_instance(parts.spread.identifiers, case.instance)
    yield from notes.about_neighbourhood(near.neighbours)
    yield from notes.about_model(parts.model, case.repeats, parts.predictions[near.selected])
    yield from notes.about_rules(case.sample.classes[case.prediction])
    yield from notes.about_ways(case.trials, case.ways)
    yield from notes.about_codes(parts.spread.codes)


def _classes(sample: Sample, answer: Answer) -> tuple[ClassSummary, ...]:
    rows = np.bincount(sample.labels, minlength=len(sample.classes)).tolist()
    real = np.bincount(sample.labels[: sample.n_real], minlength=len(sample.classes)).tolist()
    chances = [None] * len(rows) if answer.probabilities is None else answer.probabilities[0].tolist()
    return tuple(map(ClassSummary, sample.classes, rows, real, chances))


def _effects(case: Case) -> Iterator[Effect]:
    """The largest first; of equal ones, the earlier feature."""
    if case.trials is None:
        return
    trials, schema = case.trials, case.parts.background.schema
    edits, singles, sizes = trials.edits, trials.singles, trials.effects
    # All features at once, then piece by piece: a feature has its values side by side.
    shown = np.flatnonzero(telling(edits, singles))
    feature, value = edits.feature[shown], edits.value[shown]
    answers = (singles.certainty if singles.values is None else singles.values)[shown].tolist()
    labels = [case.sample.classes[label] for label in singles.labels[shown].tolist()]
    shares = case.parts.spread.frequencies(feature, value).tolist()
    ends = np.searchsorted(feature, np.arange(len(sizes) + 1)).tolist()
    for f in np.argsort(-sizes, kind="stable").tolist():
        if f in case.parts.spread.identifiers:
            continue
        described, own = schema.features[f], slice(ends[f], ends[f + 1])
        yield Effect(
            described.name,
            float(sizes[f]),
            float(trials.largest[f]),
            case.items.row_of(f) is None,
            tuple(described.decode_many(value[own])),
            tuple(answers[own]),
            tuple(labels[own]),
            () if described.is_numeric else tuple(shares[own]),
        )


def _asked(case: Case) -> AskedSummary | None:
    trials = case.trials
    if trials is None:
        return None
    asked = len(trials.edits)
    every = asked + trials.edits.left_out
    return AskedSummary(asked, every, trials.asked_pairs, trials.all_pairs, case.calls, case.rows)


def _options(parts: Parts, options: SearchOptions, aim: Aim) -> JsonObject:
    """All options as plain data; those that limit what is answered, if they are given."""
    chosen = _named(parts.settings) | {"kernel_width": parts.kernel_width} | _named(options)
    constraints = [one.to_dict() for one in aim.constraints]
    given = ("target", "at_least", "spread", "time_limit")
    limits = {"constraints": constraints, **{name: chosen[name] for name in given}}
    aside = {*limits, "cuts", "n_jobs"}  # the number of threads makes no difference
    every = {name: plain(value) for name, value in chosen.items() if name not in aside}
    cuts = {name: list(points) for name, points in parts.cuts.items()}
    return (
        every
        | {"cuts": cuts}
        | {
            name: plain(value)
            for name, value in limits.items()
            if value is not None and value is not False and value != []
        }
    )


def _named(options: Settings | SearchOptions) -> JsonObject:
    return {field.name: getattr(options, field.name) for field in fields(options)}
