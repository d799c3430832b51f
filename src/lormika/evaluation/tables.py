"""Tables: means of the records of an evaluation, next to the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lormika.evaluation import measures
from lormika.evaluation.here_measures import HERE_MEASURES
from lormika.evaluation.ledger import Ledger
from lormika.evaluation.measure import Measure
from lormika.evaluation.paper_measures import PAPER_MEASURES
from lormika.evaluation.plan import DATASETS, MODELS, OURS, RIVALS
from lormika.evaluation.published import EXPLAINERS, published
from lormika.evaluation.record import Record
from lormika.evaluation.recourse_measures import RECOURSE_MEASURES

MEASURES = (*PAPER_MEASURES, *HERE_MEASURES, *RECOURSE_MEASURES)
"""All tables, in order."""


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
        """Explainers for which the paper has this measure."""
        return [] if self.measure.published is None else list(EXPLAINERS)

    def paper(self, dataset: str, model: str, explainer: str) -> tuple[float, float] | None:
        """The paper's mean and standard deviation."""
        if self.measure.published is None:
            return None
        return published().get((self.measure.published, dataset, MODELS[model], explainer))


def make_tables(ledger: Ledger, *, shared: bool = False) -> list[Table]:
    """All tables from the records in a folder, except those without any value.

    With `shared`, only instances that all explainers of a setting explained: then figures side by side rest on the same
    predictions, even where slow explainers got fewer.

    Examples
    --------
    >>> import tempfile
    >>> from lormika.evaluation import Plan, evaluate
    >>> plan = Plan(datasets=("loans",), models=("tree",), explainers=("lormika",), instances=1, runs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     steps = list(evaluate(plan, folder))
    ...     tables = make_tables(Ledger(folder))
    >>> [table.measure.name for table in tables if table.measure.name.startswith("true")]
    ['true-current-supporting']
    """
    cells = _collect(ledger)
    if shared:
        cells = _shared(cells)
    settings = sorted({(dataset, model) for dataset, model, _ in cells}, key=_setting_order)
    order = sorted({explainer for _, _, explainer in cells}, key=_explainer_order)
    records = {key: list(cells[key].values()) for key in sorted(cells, key=lambda key: order.index(key[2]))}
    sound = {key[2] for key, runs in records.items() if any(r.error is None for own in runs for r in own)}
    tables = []
    for measure in MEASURES:
        entries = {key: _entry(runs, measure) for key, runs in records.items()}
        present = {key: entry for key, entry in entries.items() if entry.values or entry.failed}
        measured = {key[2] for key, entry in present.items() if entry.values} & _able(records, measure)
        failed = {key[2] for key in present} - sound  # one that failed everywhere took part all the same
        explainers = [name for name in order if name in measured | failed]
        if explainers:
            own_entries = {key: entry for key, entry in present.items() if key[2] in explainers}
            tables.append(Table(measure, settings, explainers, order, own_entries))
    return tables


def _able(records: Mapping[tuple[str, str, str], Sequence[Sequence[Record]]], measure: Measure) -> set[str]:
    """Explainers that a measure is about: one that never gives counterfactuals has no place in a table of them."""
    needs = measure.needs
    return {key[2] for key, runs in records.items() if needs is None or any(needs(r) for own in runs for r in own)}


Cells = dict[tuple[str, str, str], dict[int, list[Record]]]
"""By data set, model and explainer: the records of each instance, one of each run."""


def _collect(ledger: Ledger) -> Cells:
    cells: Cells = {}
    for cell in ledger.cells():
        runs = cells.setdefault((cell.dataset, cell.model, cell.explainer), {})
        for record in ledger.read(cell).records:
            runs.setdefault(record.instance, []).append(record)
    return cells


def _shared(cells: Cells) -> Cells:
    common: dict[tuple[str, str], set[int]] = {}
    for (dataset, model, _), runs in cells.items():
        explained = {i for i, records in runs.items() if any(record.error is None for record in records)}
        if explained:  # one that explains nothing does not leave the others without a table
            common[dataset, model] = common.get((dataset, model), explained) & explained
    return {
        key: {i: records for i, records in runs.items() if i in common.get(key[:2], runs)}
        for key, runs in cells.items()
    }


def _setting_order(setting: tuple[str, str]) -> tuple[int, int]:
    return DATASETS.index(setting[0]), tuple(MODELS).index(setting[1])


def _explainer_order(name: str) -> tuple[int, str]:
    own = (*OURS, *RIVALS)
    return (own.index(name), "") if name in own else (len(own), name)


def _entry(instances: Sequence[Sequence[Record]], measure: Measure) -> Entry:
    failed = sum(record.error is not None for records in instances for record in records)
    sound = [[record for record in records if record.error is None] for records in instances]
    mean, sd, count = measures.mean_and_sd([measure.values(records) for records in sound if records])
    return Entry(mean, sd, count, failed)


def compared(table: Table, explainer: str, paper: str = "lormika") -> tuple[int, int]:
    """In how many settings an explainer's mean is at least as good as the paper's, and in how many both are known.

    The paper gives two decimals, so both means are compared with two.
    """
    good = total = 0
    for dataset, model in table.settings:
        entry, theirs = table.entries.get((dataset, model, explainer)), table.paper(dataset, model, paper)
        if entry is None or not entry.values or theirs is None:
            continue
        total += 1
        ahead = round(entry.mean, 2) - theirs[0]
        good += (ahead <= 0) if table.measure.least_is_best else (ahead >= 0)
    return good, total
