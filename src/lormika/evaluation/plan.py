"""Plan: what is compared with what, and how much of it; and the cells that it consists of."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from lormika.checks import check_integer, check_number
from lormika.errors import InputError

DATASETS = ("compas", "adult", "german", "covertype", "loans")
"""The paper's four, in its order; and synthetic loans, which the paper does not use."""
MODELS = {"svm": "svm", "tree": "dt", "lr": "lr", "mlp": "nn", "rf": "rf"}
"""Names of models here: names in the paper's tables."""
OURS = ("lormika", "lormika-other-data", "lormika-paper")
"""This library with its defaults, the same with a tenth of the background left out each run, and as in the paper."""
RIVALS = ("anchor", "lore", "dice-random", "dice-genetic", "nice")
"""Other people's explainers: the first two give rules, the rest counterfactual rows."""
APART = {"nice": "NICEx"}
"""Rivals whose package needs a separate environment, with older versions of numpy and pandas than lormika's."""

_TOO_SLOW = ("covertype", "svm")  # the paper leaves it out, too: no result after ten days


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of one explainer over the instances of one data set and model."""

    dataset: str
    model: str
    explainer: str
    run: int

    @property
    def file_name(self) -> str:
        """Where its records are, in the folder of cells."""
        return f"{self.dataset}-{self.model}-{self.explainer.replace(':', '.')}-{self.run:02}.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """An evaluation. The defaults are the paper's: 50 instances, ten runs with different seeds, 19 settings.

    >>> plan = Plan(datasets=("loans",), models=("tree", "rf"), explainers=("lormika",), runs=2)
    >>> [cell.file_name for cell in plan.cells()][:2]
    ['loans-tree-lormika-00.json', 'loans-tree-lormika-01.json']
    """

    datasets: tuple[str, ...] = DATASETS[:4]
    models: tuple[str, ...] = tuple(MODELS)
    explainers: tuple[str, ...] = (*OURS, *(name for name in RIVALS if name not in APART))
    instances: int = 50
    runs: int = 10
    rival_instances: int | None = None  #: of slow explainers: fewer instances, and fewer runs
    rival_runs: int | None = None
    train_rows: int | None = None  #: cap of the training rows, which are the background too
    common_rows: int = 5_000  #: generated rows of the common ground
    time_limit: float = 120.0  #: seconds for each explanation of a rival
    baseline_python: str | Mapping[str, str] = sys.executable  #: interpreter that has the rivals, or one for each
    random_state: int = 0

    def __post_init__(self) -> None:
        _check_names("datasets", self.datasets, DATASETS)
        _check_names("models", self.models, tuple(MODELS))
        _check_names("explainers", self.explainers, None)
        for name, least in (("instances", 1), ("runs", 1), ("common_rows", 0), ("random_state", 0)):
            check_integer(name, getattr(self, name), least)
        for name, least in (("rival_instances", 1), ("rival_runs", 1), ("train_rows", 100)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), least)
        check_number("time_limit", self.time_limit, 0.001)
        if self.baseline_python and not isinstance(self.baseline_python, str):
            _check_names("baseline_python", tuple(self.baseline_python), RIVALS)
        if not self.settings:
            raise InputError("svm on covertype takes days and is left out, as in the paper: choose another model")

    @property
    def settings(self) -> list[tuple[str, str]]:
        """Data sets with models, in order."""
        return [(d, m) for d in self.datasets for m in self.models if (d, m) != _TOO_SLOW]

    def instances_of(self, explainer: str) -> int:
        """How many instances an explainer gets."""
        cap = None if explainer in OURS else self.rival_instances
        return self.instances if cap is None else min(cap, self.instances)

    def runs_of(self, explainer: str) -> int:
        """How many runs an explainer gets."""
        cap = None if explainer in OURS else self.rival_runs
        return self.runs if cap is None else min(cap, self.runs)

    def python_of(self, rival: str) -> str:
        """The interpreter that a rival runs in."""
        python = self.baseline_python
        return python if isinstance(python, str) else python.get(rival, sys.executable)

    def cells(self) -> Iterator[Cell]:
        """All cells, in the order in which they are worked on."""
        for dataset, model in self.settings:
            for explainer in self.explainers:
                for run in range(self.runs_of(explainer)):
                    yield Cell(dataset, model, explainer, run)


class PlanKeywords(TypedDict, total=False):
    """What `quick` takes; see `Plan`."""

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    explainers: tuple[str, ...]
    instances: int
    runs: int
    rival_instances: int | None
    rival_runs: int | None
    train_rows: int | None
    common_rows: int
    time_limit: float
    baseline_python: str | Mapping[str, str]
    random_state: int


def quick(**options: Unpack[PlanKeywords]) -> Plan:
    """A subset that takes minutes: a small data set, quick models, few instances and runs, unless given.

    >>> quick(models=("svm",)).models, quick().models
    (('svm',), ('tree', 'lr', 'rf'))
    """
    few = Plan(datasets=("german",), models=("tree", "lr", "rf"), instances=10, runs=2, rival_instances=2, rival_runs=2)
    return replace(few, **options)


def read_interpreters(texts: Iterable[str]) -> dict[str, str]:
    """Interpreters of rivals, from texts such as `nice=nice/bin/python`; one without a name is for all the others.

    >>> read_interpreters(["nice=nice/bin/python"])
    {'nice': 'nice/bin/python'}
    """
    by_rival: dict[str, str] = {}
    for_all: dict[str, str] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if sign and "/" not in name:  # else the sign is part of a path
            by_rival[name] = path
        else:
            for_all = dict.fromkeys(RIVALS, text)
    return for_all | by_rival


def _check_names(name: str, names: Sequence[str], choices: Sequence[str] | None) -> None:
    if isinstance(names, str) or not names:
        raise InputError(f"{name}={names!r}: give at least one name (in Python, in a tuple)")
    for one in names:
        if choices is not None and one not in choices:
            raise InputError(f"{name}: there is no {one!r}; choose from {', '.join(choices)}")
    if len(set(names)) < len(names):
        raise InputError(f"{name}: a name is there twice")
