"""Bench: work through the cells of a plan that are not done yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from lormika.data import datasets
from lormika.errors import InputError
from lormika.evaluation import rival
from lormika.evaluation.common import CommonGround
from lormika.evaluation.ledger import Content, Ledger
from lormika.evaluation.other import Factory, Other, digest, load_factory
from lormika.evaluation.ours import AsInPaper, Defaults, OtherData
from lormika.evaluation.plan import OURS, RIVALS, Cell, Plan
from lormika.evaluation.record import Record
from lormika.evaluation.setting import Setting, check_size, prepare

_OURS: dict[str, Callable[[Setting, CommonGround, int], Callable[[int], Record]]] = {
    "lormika": Defaults,
    "lormika-other-data": OtherData,
    "lormika-paper": AsInPaper,
}
_BETWEEN_WRITES = 5.0  # seconds of work that a killed evaluation may lose


@dataclass(frozen=True, slots=True)
class Step:
    """A cell that has just been done, and the progress of the evaluation.

    >>> step = Step(Cell("loans", "tree", "lormika", 0), failed=0, done=1, total=4, seconds_left=3.0, at_least=False)
    >>> f"{step.done} of {step.total}"
    '1 of 4'
    """

    cell: Cell
    failed: int  #: explanations of this cell
    done: int  #: cells, from the beginning
    total: int
    seconds_left: float  #: estimated
    at_least: bool  #: the estimate is too low: there are explainers that have not been seen at work


@dataclass(frozen=True, slots=True)
class Task:
    """A cell that is not done."""

    cell: Cell
    kept: Sequence[Record]  # explanations that need not be done again
    missing: Sequence[int]  # instances


def evaluate(
    plan: Plan, out: str | Path, others: Mapping[str, Factory] | None = None, *, retry_failed: bool = False
) -> Iterator[Step]:
    """Measure explainers as planned, and keep the records in a folder; finished work is not repeated.

    The work is done while you iterate. A folder can be extended with more instances, runs, models or explainers.

    Parameters
    ----------
    plan
        What to compare. An explainer's name is one of `lormika`, `lormika-other-data`, `lormika-paper`, `anchor`,
        `lore`, `dice-random`, `dice-genetic`, `nice`, a key of `others`, or a text such as `package.module:function`
        that names a function.
    out
        The folder.
    others
        Your own explainers, by name; see `lormika.evaluation.other` for what such a function takes and returns. If the
        file of a function changes, it is measured again.
    retry_failed
        Whether to repeat explanations that failed.

    Examples
    --------
    >>> import tempfile
    >>> plan = Plan(datasets=("loans",), models=("tree",), explainers=("lormika",), instances=2, runs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [step.done for step in evaluate(plan, Path(folder) / "evaluation")]
    [1]
    """
    factories = _factories(plan, dict(others or {}))
    versions = {name: rival.check(name, plan.python_of(name)) for name in plan.explainers if name in RIVALS}
    codes = {name: digest(factory) for name, factory in factories.items()}
    for dataset in plan.datasets:  # report what cannot be done now, not after days
        check_size(dataset, *datasets.load(dataset), plan.instances)
    ledger = Ledger(out)
    with ledger.open(plan):
        cells = list(plan.cells())
        if damaged := ledger.damaged(but=cells):
            raise InputError(f"{damaged[0]} is damaged: remove it")
        every = (_task(plan, cell, ledger.read_sound(cell), codes.get(cell.explainer), retry_failed) for cell in cells)
        tasks = [task for task in every if task.missing]
        clock = _Clock(tasks, len(cells))
        for (dataset, model), group in groupby(tasks, key=lambda task: (task.cell.dataset, task.cell.model)):
            setting = prepare(dataset, model, ledger.models, instances=plan.instances, train_rows=plan.train_rows)
            bench = _Bench(plan, setting, CommonGround(setting, plan.common_rows), factories, ledger.path)
            for explainer, own in groupby(group, key=lambda task: task.cell.explainer):
                with ExitStack() as stack:
                    begin = bench.explainer(explainer, stack)
                    about = {"costs": setting.costs, "package": versions.get(explainer), "code": codes.get(explainer)}
                    for task in own:
                        content = _work(task, begin, ledger, about)
                        yield clock.step(task, len(content.failed))


def _task(plan: Plan, cell: Cell, content: Content, code: str | None, retry_failed: bool) -> Task:
    """What is left to do in a cell; records made with another version of a user's function do not count."""
    same = code is None or content.about.get("code") == code
    records = [record for record in content.records if same and not (retry_failed and record.error is not None)]
    there = {record.instance for record in records}
    return Task(cell, records, [i for i in range(plan.instances_of(cell.explainer)) if i not in there])


def _work(
    task: Task, begin: Callable[[int], Callable[[int], Record]], ledger: Ledger, about: Mapping[str, object]
) -> Content:
    """Explain the missing instances of a cell, and write from time to time, also when interrupted."""
    done = list(task.kept)
    last_write = time.monotonic()

    def content() -> Content:
        return Content(sorted(done, key=lambda record: record.instance), about)

    try:
        explain = begin(task.cell.run)
        for instance in task.missing:
            done.append(explain(instance))
            if time.monotonic() - last_write > _BETWEEN_WRITES:
                ledger.write(task.cell, content())
                last_write = time.monotonic()
    finally:
        if len(done) > len(task.kept):
            ledger.write(task.cell, content())
    return content()


def _factories(plan: Plan, others: dict[str, Factory]) -> dict[str, Factory]:
    """The requested explainers that are registered; an unknown name is refused."""
    factories = {}
    for name in plan.explainers:
        if name in others:
            if name in (*OURS, *RIVALS) or "/" in name:
                raise InputError(f"others: {name!r} is a name that cannot be given to an explainer")
            if not callable(others[name]):
                raise InputError(f"others: {name!r} is no function, but {others[name]!r}")
            factories[name] = others[name]
        elif ":" in name:
            factories[name] = load_factory(name)
        elif name not in (*OURS, *RIVALS):
            names = ", ".join((*OURS, *RIVALS, *others))
            raise InputError(
                f"explainers: there is no {name!r}; choose from {names}, or name a function: module:function"
            )
    return factories


@dataclass(frozen=True, slots=True)
class _Bench:
    """A setting, with everything that explainers are made from."""

    plan: Plan
    setting: Setting
    grounds: CommonGround
    factories: Mapping[str, Factory]
    folder: Path

    def explainer(self, name: str, stack: ExitStack) -> Callable[[int], Callable[[int], Record]]:
        """A function from a run to what explains an instance in it."""
        first = self.plan.random_state
        if name in RIVALS:
            other = stack.enter_context(
                rival.Rival(
                    name, self.setting, self.grounds,
                    python=self.plan.python_of(name), time_limit=self.plan.time_limit, folder=self.folder,
                )
            )  # fmt: skip
            return lambda run: partial(_recorded, lambda instance: other.explain(instance, first + run))
        make = partial(Other, self.factories[name]) if name in self.factories else _OURS[name]

        def begin(run: int) -> Callable[[int], Record]:
            try:
                return partial(_recorded, make(self.setting, self.grounds, first + run))
            except (Exception, SystemExit) as error:
                failure = error
            return lambda instance: _failure(instance, failure)

        return begin


def _recorded(explain: Callable[[int], Record], instance: int) -> Record:
    """A record; whatever goes wrong costs only one explanation."""
    try:
        return explain(instance)
    except (Exception, SystemExit) as error:
        return _failure(instance, error)


def _failure(instance: int, error: BaseException) -> Record:
    return Record(instance, f"{type(error).__name__}: {error}")


class _Clock:
    """Estimates the time left, from how long each explainer's explanations have taken so far."""

    def __init__(self, tasks: Sequence[Task], total: int) -> None:
        self._left, self._total = list(tasks), total
        self._took: dict[str, list[float]] = {}  # of each explainer: seconds, and explanations
        self._start = time.monotonic()

    def step(self, task: Task, failed: int) -> Step:
        now = time.monotonic()
        took = self._took.setdefault(task.cell.explainer, [0.0, 0])
        took[0] += now - self._start
        took[1] += len(task.missing)
        self._start = now
        self._left.remove(task)
        means = {name: seconds / explanations for name, (seconds, explanations) in self._took.items()}
        fallback = max(means.values())  # of an explainer not seen yet: as slow as the slowest
        left = sum(means.get(one.cell.explainer, fallback) * len(one.missing) for one in self._left)
        unseen = any(one.cell.explainer not in means for one in self._left)
        return Step(task.cell, failed, self._total - len(self._left), self._total, left, unseen)
