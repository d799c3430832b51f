"""What lormika serve serves: a model and rows from files, a saved explainer, or made-up loans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.output import Talk
from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import About

if TYPE_CHECKING:
    from lormika.data import Table
    from lormika.types import Keywords, UserModel, UserTable

_TYPICAL_LOAN = 1091


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """An explainer and the rows that it is asked about."""

    explainer: Explainer
    rows: RowTable
    about: About
    interrupt: Callable[[], None] | None = None  # ends the call of the model that is being made


@dataclass(frozen=True, slots=True)
class Files:
    """Where data and model come from, and what their columns mean."""

    data: Path  # a data file, or the folder of a saved explainer or of a run
    model: str
    background: Path | None  # likewise
    roles: Roles
    drop: Sequence[str]
    name: str | None
    in_process: bool
    seconds: float  # for a call of the model

    @contextmanager
    def open(
        self,
        reading: p.Reading,
        loading: p.Loading,
        header: Sequence[str],
        settings: Keywords,
        cut: Sequence[str],
        talk: Talk,
    ) -> Iterator[Subject]:
        """Read and load everything; a model in a process of its own ends with the block."""
        with self._model(loading, header, talk) as model:
            if self.data.is_dir():
                _refuse_settings(settings, cut)
                explainer, table = self._saved(self.data, model, talk)
                rows = RowTable(table, explainer.schema, self.roles)
                yield self._subject(explainer, rows, model)
                return
            table = reading.open(self.data, talk)
            explainer = self._explainer(table, model, reading, settings, cut, talk)
            rows = RowTable(table.frame, explainer.schema, self.roles, decimal_comma=table.delimiter == ";")
            yield self._subject(explainer, rows, model)

    @contextmanager
    def _model(self, loading: p.Loading, header: Sequence[str], talk: Talk) -> Iterator[UserModel]:
        if self.in_process or "://" in self.model:
            with loading.open(self.model, header, talk) as model:
                yield model
            return
        from lormika import models
        from lormika.models.revived import RevivedModel

        loading.warn(self.model, talk)
        options = loading.keywords() | {"isolate": True}
        with talk.working(f"Loading {self.model}"):
            model = RevivedModel(lambda: models.load(self.model, **options), loading.time_limit or self.seconds)
        try:
            yield model
        finally:
            model.close()

    def _explainer(
        self,
        table: Table,
        model: UserModel,
        reading: p.Reading,
        settings: Keywords,
        cut: Sequence[str],
        talk: Talk,
    ) -> Explainer:
        if self.background is not None and self.background.is_dir():
            _refuse_settings(settings, cut)
            return self._saved(self.background, model, talk)[0]
        similar = table if self.background is None else reading.open(self.background, talk)
        left_out = [*self.drop, *(name for name in (self.roles.id, self.roles.time) if name is not None)]
        arguments.check_names(table, [*left_out, *([] if self.roles.target is None else [self.roles.target])])
        own = getattr(model, "feature_names_in_", None)  # a column may name rows and be a feature, too
        left_out = [name for name in left_out if own is None or name not in own]
        features = arguments.feature_columns(model, similar, self.roles.target, left_out, talk, also=table)
        arguments.report_columns(similar, features, reading.categorical, talk)
        return arguments.make_explainer(model, similar.frame[features], settings, cut, "default", talk)

    def _saved(self, folder: Path, model: UserModel, talk: Talk) -> tuple[Explainer, UserTable]:
        """A saved explainer with the rows of its background; or that of a run, with the rows of the run."""
        with talk.working(f"Loading {folder}"):
            if (folder / "run.json").is_file():
                from lormika.jobs import prepared
                from lormika.jobs.inputs import read_input
                from lormika.jobs.run_actions import open_rows

                run = open_rows(folder, self.model)
                rows = read_input(folder / run.input, range(run.rows)).reset_index(drop=True)
                return prepared.load(folder / run.background, model), rows
            explainer = Explainer.load(folder, model)
            background = explainer.background
            return explainer, explainer.schema.restore(background.rows(np.arange(len(background))))

    def _subject(self, explainer: Explainer, rows: RowTable, model: UserModel) -> Subject:
        from lormika.models.identity import source_digest
        from lormika.models.model import model_kind

        about = About(
            name=self.name or _name(self.model),
            model=model_kind(model),
            data=self.data.name,
            source=self.model,
            data_sha256=source_digest(str(self.data)) if self.data.is_file() else None,
        )
        return Subject(explainer, rows, about, getattr(model, "interrupt", None))


def demo(settings: Keywords, talk: Talk) -> Subject:
    """Made-up loans and a random forest."""
    from lormika.data import datasets

    with talk.working("Training a random forest on made-up loans"):
        X, y = datasets.load("loans")
        train_X, _, train_y, _ = datasets.split(X, y)
        model = datasets.make_model("rf", train_X).fit(train_X, train_y)
        explainer = Explainer(model, train_X, **settings)
    target = str(y.name)
    rows = RowTable(X.assign(**{target: y}), explainer.schema, Roles(target=target))
    return Subject(explainer, rows, About("loans", "RandomForestClassifier", "made-up loans", start=_TYPICAL_LOAN))


def _refuse_settings(settings: Keywords, cut: Sequence[str]) -> None:
    """A saved explainer has its own settings: others would be given in vain."""
    given = [name for name, value in settings.items() if value is not None] + (["cut"] if cut else [])
    if given:
        raise InputError(f"{given[0]}: a saved explainer has its own; save it again with others")


def _name(source: str) -> str:
    """A name for programs, from where a model comes from.

    >>> _name("models/loans.skops"), _name("python:credit:ask"), _name("http://host/v2/models/loans")
    ('loans', 'ask', 'loans')
    """
    return Path(source.rstrip("/").replace(":", "/")).stem or "model"
