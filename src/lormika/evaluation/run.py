"""Run: work through the cells of a plan that are not done yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from lormika import datasets
from lormika.errors import InputError
from lormika.evaluation import rival
from lormika.evaluation.common import CommonGround
from lormika.evaluation.ledger import Ledger
from lormika.evaluation.other import Factory, Other, digest, load_factory
from lormika.evaluation.ours import AsInPaper, Defaults, OtherData
from lormika.evaluation.plan import OURS, RIVALS, Cell, Plan
from lormika.evaluation.record import Record
from lormika.evaluation.setting import Setting, prepare

_OURS: dict[str, Callable[[Setting, CommonGround, int], Callable[[int], Record]]] = {
    "lormika": Defaults,
    "lormika-other-data": OtherData,
    "lormika-paper": AsInPaper,
}


@dataclass(frozen=True, slots=True)
class Step:
    """A cell that has just been done, and how far the evaluation is."""

    cell: Cell
    failed: int  # explanations of this cell
    done: int  # cells, from the beginning
    total: int
    seconds_left: float  # estimated


def evaluate(
    plan: Plan, out: str | Path, others: Mapping[str, Factory] | None = None, *, retry_failed: bool = False
) -> Iterator[Step]:
    """Measure explainers as planned, and keep the records in a folder; what is there already is not done again.

    Parameters
    ----------
    plan
        What to compare. An explainer's name is one of `lormika`, `lormika-other-data`, `lormika-paper`, `anchor`,
        `lore`, a key of `others`, or a text such as `package.module:function` that names a function.
    out
        The folder.
    others
        Explainers of your own, by name; see `lormika.evaluation.other` for what such a function takes and gives.
    retry_failed
        Whether cells with explanations that failed are done again.

    Examples
    --------
    >>> import tempfile
    >>> plan = Plan(datasets=("loans",), models=("tree",), explainers=("lormika",), instances=2, runs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [step.done for step in evaluate(plan, Path(folder) / "evaluation")]
    [1]
    """
    factories = _factories(plan, dict(others or {}))
    versions = {name: rival.check(name, plan.baseline_python) for name in plan.explainers if name in RIVALS}
    for dataset in plan.datasets:  # one that is missing is said now, not after days
        datasets.load(dataset)
    ledger = Ledger(out)
    with ledger.open(plan, {name: digest(made) for name, made in factories.items() if ":" in name}):
        cells = list(plan.cells())
        missing = [cell for cell in cells if not ledger.is_done(cell) or (retry_failed and ledger.failed(cell))]
        clock = _Clock(missing, len(cells))
        for (dataset, model), group in groupby(missing, key=lambda cell: (cell.dataset, cell.model)):
            setting = prepare(dataset, model, ledger.models, instances=plan.instances, train_rows=plan.train_rows)
            grounds = CommonGround(setting, plan.common_rows)
            for explainer, own in groupby(group, key=lambda cell: cell.explainer):
                with ExitStack() as stack:
                    explain = _explainer(plan, explainer, setting, grounds, factories, ledger.path, stack)
                    for cell in own:
                        records = explain(cell)
                        ledger.write(cell, records, {"costs": setting.costs, "package": versions.get(explainer)})
                        yield clock.step(cell, sum(record.error is not None for record in records))


def _factories(plan: Plan, others: dict[str, Factory]) -> dict[str, Factory]:
    """The registered explainers that are wanted; an unknown name is refused."""
    factories = {}
    for name in plan.explainers:
        if name in others:
            if name in (*OURS, *RIVALS) or "/" in name:
                raise InputError(f"others: {name!r} is a name that cannot be given to an explainer")
            factories[name] = others[name]
        elif ":" in name:
            factories[name] = load_factory(name)
        elif name not in (*OURS, *RIVALS):
            known = ", ".join((*OURS, *RIVALS, *others))
            raise InputError(
                f"explainers: there is no {name!r}; choose from {known}, or name a function: module:function"
            )
    return factories


def _explainer(
    plan: Plan,
    name: str,
    setting: Setting,
    grounds: CommonGround,
    factories: Mapping[str, Factory],
    folder: Path,
    stack: ExitStack,
) -> Callable[[Cell], list[Record]]:
    """What explains all instances of a cell."""
    instances = range(plan.instances_of(name))
    if name in RIVALS:
        other = stack.enter_context(
            rival.Rival(name, setting, grounds, python=plan.baseline_python, time_limit=plan.time_limit, folder=folder)
        )
        return lambda cell: [other.explain(i, plan.random_state + cell.run) for i in instances]

    def explain(cell: Cell) -> list[Record]:
        seed = plan.random_state + cell.run
        made = partial(Other, factories[name]) if name in factories else _OURS[name]
        try:
            one = made(setting, grounds, seed)
        except Exception as error:
            return [_failure(i, error) for i in instances]
        return [_recorded(one, i) for i in instances]

    return explain


def _recorded(explain: Callable[[int], Record], instance: int) -> Record:
    """Whatever goes wrong costs one explanation, as with rivals."""
    try:
        return explain(instance)
    except Exception as error:
        return _failure(instance, error)


def _failure(instance: int, error: Exception) -> Record:
    return Record(instance, f"{type(error).__name__}: {error}")


class _Clock:
    """Estimates the time left: for each explainer, what its cells took so far."""

    def __init__(self, missing: list[Cell], total: int) -> None:
        self._left, self._total = list(missing), total
        self._took: dict[str, list[float]] = {}
        self._start = time.monotonic()

    def step(self, cell: Cell, failed: int) -> Step:
        now = time.monotonic()
        self._took.setdefault(cell.explainer, []).append(now - self._start)
        self._start = now
        self._left.remove(cell)
        means = {name: sum(took) / len(took) for name, took in self._took.items()}
        fallback = max(means.values())  # of an explainer not seen yet: as slow as the slowest
        left = sum(means.get(one.explainer, fallback) for one in self._left)
        return Step(cell, failed, self._total - len(self._left), self._total, left)
