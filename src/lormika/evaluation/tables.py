"""Tables: means of the records of an evaluation, beside the paper's figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lormika.evaluation import measures
from lormika.evaluation.ledger import Ledger
from lormika.evaluation.plan import DATASETS, MODELS, OURS, RIVALS
from lormika.evaluation.published import EXPLAINERS, published
from lormika.evaluation.record import Record
from lormika.rule import Category

Values = Callable[[Sequence[Record]], list[float]]
"""From the records of one instance, one of each run, to the values that are averaged."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a table shows."""

    name: str
    title: str
    note: str
    values: Values
    published: str | None = None  # its name in the paper's tables
    least_is_best: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """Mean and standard deviation over instances, and what they rest on."""

    mean: float
    sd: float
    values: int  # behind the mean
    failed: int  # explanations that there are not


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One measure of all explainers in all settings."""

    measure: Measure
    settings: list[tuple[str, str]]
    explainers: list[str]  # that have values here
    order: list[str]  # all explainers of the evaluation
    entries: dict[tuple[str, str, str], Entry]  # data set, model, explainer

    @property
    def papers(self) -> list[str]:
        """Explainers of which the paper has this measure."""
        return [] if self.measure.published is None else list(EXPLAINERS)

    def paper(self, dataset: str, model: str, explainer: str) -> tuple[float, float] | None:
        """The paper's mean and standard deviation."""
        if self.measure.published is None:
            return None
        return published().get((self.measure.published, dataset, MODELS[model], explainer))


def make_tables(ledger: Ledger, *, shared: bool = False) -> list[Table]:
    """All tables of what a folder holds, those without any value left out.

    With `shared`, only instances that all explainers of a setting explained: then figures beside each other rest on the
    same predictions, also where slow explainers got fewer.
    """
    found = _collect(ledger)
    if shared:
        found = _shared(found)
    settings = sorted({(dataset, model) for dataset, model, _ in found}, key=_setting_order)
    order = sorted({explainer for _, _, explainer in found}, key=_explainer_order)
    records = {key: list(found[key].values()) for key in sorted(found, key=lambda key: order.index(key[2]))}
    sound = {key[2] for key, runs in records.items() if any(r.error is None for own in runs for r in own)}
    tables = []
    for measure in MEASURES:
        entries = {key: _entry(runs, measure) for key, runs in records.items()}
        kept = {key: entry for key, entry in entries.items() if entry.values or entry.failed}
        measured = {key[2] for key, entry in kept.items() if entry.values}
        failed = {key[2] for key in kept} - sound  # one that failed everywhere took part all the same
        named = [name for name in order if name in measured | failed]
        if named:
            shown = {key: entry for key, entry in kept.items() if key[2] in named}
            tables.append(Table(measure, settings, named, order, shown))
    return tables


Found = dict[tuple[str, str, str], dict[int, list[Record]]]
"""By data set, model and explainer: the records of each instance, one of each run."""


def _collect(ledger: Ledger) -> Found:
    found: Found = {}
    for cell in ledger.cells():
        runs = found.setdefault((cell.dataset, cell.model, cell.explainer), {})
        for record in ledger.read(cell).records:
            runs.setdefault(record.instance, []).append(record)
    return found


def _shared(found: Found) -> Found:
    common: dict[tuple[str, str], set[int]] = {}
    for (dataset, model, _), runs in found.items():
        explained = {i for i, records in runs.items() if any(record.error is None for record in records)}
        if explained:  # one that explains nothing does not leave the others without a table
            common[dataset, model] = common.get((dataset, model), explained) & explained
    return {
        key: {i: records for i, records in runs.items() if i in common.get(key[:2], runs)}
        for key, runs in found.items()
    }


def _setting_order(setting: tuple[str, str]) -> tuple[int, int]:
    return DATASETS.index(setting[0]), tuple(MODELS).index(setting[1])


def _explainer_order(name: str) -> tuple[int, str]:
    known = (*OURS, *RIVALS)
    return (known.index(name), "") if name in known else (len(known), name)


def _entry(instances: Sequence[Sequence[Record]], measure: Measure) -> Entry:
    failed = sum(record.error is not None for records in instances for record in records)
    sound = [[record for record in records if record.error is None] for records in instances]
    mean, sd, count = measures.mean_and_sd([measure.values(records) for records in sound if records])
    return Entry(mean, sd, count, failed)


def compared(table: Table, explainer: str, paper: str = "lormika") -> tuple[int, int]:
    """In how many settings an explainer's mean is at least as good as the paper's, and in how many both are known.

    The paper has two decimals; so both means are compared with two.
    """
    good = known = 0
    for dataset, model in table.settings:
        entry, theirs = table.entries.get((dataset, model, explainer)), table.paper(dataset, model, paper)
        if entry is None or not entry.values or theirs is None:
            continue
        known += 1
        ahead = round(entry.mean, 2) - theirs[0]
        good += (ahead <= 0) if table.measure.least_is_best else (ahead >= 0)
    return good, known


def _each(value: Callable[[Record], float]) -> Values:
    return lambda records: [value(record) for record in records]


def _own(name: str) -> Values:
    return _each(lambda record: record.own.get(name, math.nan))


def _common(name: str) -> Values:
    return _each(lambda record: record.common.get(name, math.nan))


def _kind(kind: Category) -> Values:
    return _each(lambda record: float(record.kinds.get(kind.value, 0) > 0))


def _stability(records: Sequence[Record]) -> list[float]:
    return [measures.stability([record.features if record.common else None for record in records])]


def _stability_of(name: str) -> Values:
    def values(records: Sequence[Record]) -> list[float]:
        return [measures.stability([record.more[name] or None for record in records if name in record.more])]

    return values


def _confidence_by_confidence(record: Record) -> float:
    value = record.more.get("common_by_confidence", {}).get("confidence")
    return math.nan if value is None else float(value)


def _features_by(objective: str) -> Values:
    return _each(lambda record: float(record.more.get("features_by", {}).get(objective, math.nan)))


def _n_features(record: Record) -> float:
    return float(len(record.features)) if record.common else math.nan  # without a best rule there is nothing to count


def _turned(records: Sequence[Record]) -> list[float]:
    return [float(turned) for record in records for turned in record.turned]


def _first_turned(records: Sequence[Record]) -> list[float]:
    return [float(record.turned[0]) for record in records if record.turned]


_OWN = (
    "Every explainer on its own neighbourhood; lormika-paper is searched for this measure, among rules of every kind, "
    "lormika shows its best current supporting rule by leverage. Anchor's neighbourhood knows the predicted class "
    "alone: its lift is its confidence, as in the paper."
)
_COMMON = (
    "The same rules, all measured on one neighbourhood. This library makes it, with a seed of its own: its generated "
    "rows are new to all explainers, its real ones are those that lormika sees, too. A rule that matches no row of it "
    "has no confidence and no lift."
)
_KIND = "Share of explanations with at least one rule of this kind."

MEASURES = (
    Measure("coverage", "Coverage", _OWN, _own("coverage"), "coverage"),
    Measure("confidence", "Confidence", _OWN, _own("confidence"), "confidence"),
    Measure("interestingness", "Rate of interestingness, |lift − 1|", _OWN, _own("interestingness"), "interestingness"),
    Measure("common-coverage", "Coverage on common ground", _COMMON, _common("coverage")),
    Measure("common-confidence", "Confidence on common ground", _COMMON, _common("confidence")),
    Measure(
        "common-confidence-confidence", "Confidence on common ground, searched by confidence",
        "Of the best current supporting rule by confidence.", _each(_confidence_by_confidence),
    ),
    Measure("common-interestingness", "|lift − 1| on common ground", _COMMON, _common("interestingness")),
    Measure(
        "fidelity", "Local fidelity",
        "On common ground: mean of the share of the rows with the rule's class that match it, and the share of the "
        "other rows that do not. 0.5: the rule says nothing.",
        _common("fidelity"),
    ),
    Measure(
        "seconds", "Run time",
        "Seconds of one explanation, without setting the explainer up.", _each(lambda r: r.seconds), "seconds", True,
    ),
    Measure(
        "jaccard", "Stability",
        "Jaccard coefficient of the features of the best rule (of lormika-paper, the rule of the coverage table), mean "
        "over the pairs of runs with different seeds. At its defaults lormika draws nothing at random, and its 1 says "
        "only this; lormika-other-data, without another tenth of the background in every run, shows what its rules do "
        "vary with. Two runs without a rule are not counted; with a rule in one of them only, they do not agree.",
        _stability, "jaccard",
    ),
    Measure(
        "jaccard-confidence", "Stability, searched by confidence",
        "The same for the best current supporting rule by confidence.", _stability_of("by_confidence"), "jaccard",
    ),
    Measure(
        "jaccard-random", "Stability, rows drawn at random",
        "The same for the best current supporting rule by leverage, at the paper's settings: neighbours of a class "
        "with too many, and generated rows, are drawn with the seed of the run.",
        _stability_of("current_supporting"), "jaccard",
    ),
    Measure(
        "features", "Number of features",
        "Of the best rule; of lormika-paper, the rule of the coverage table.", _each(_n_features), "features", True,
    ),
    Measure(
        "features-confidence", "Number of features, searched by confidence",
        "Of the rule of the confidence table.", _features_by("confidence"), "features", True,
    ),
    Measure(
        "features-lift", "Number of features, searched by lift",
        "Of the rule of the interestingness table.", _features_by("lift"), "features", True,
    ),
    Measure(
        "model-calls", "Model calls", "Of one explanation.", _each(lambda r: float(r.calls)), None, True
    ),
    Measure(
        "model-rows", "Rows given to the model", "Of one explanation, without setting the explainer up.",
        _each(lambda r: float(r.rows)), None, True,
    ),
    Measure(
        "turned", "Counterfactual rules that turn the instance",
        "Share of them for which the model changes its mind after the smallest edit that satisfies the rule.", _turned,
    ),
    Measure(
        "turned-first", "First counterfactual rules that turn the instance",
        "The same for the first such rule of each explanation.", _first_turned,
    ),
    *(Measure(f"found-{kind.value}".replace("_", "-"), f"Found: {kind.value.replace('_', ' ')}", _KIND, _kind(kind))
      for kind in Category),
)  # fmt: skip
"""All tables, in order."""
