"""Explainer: the stages wired together."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from lormika.actions import GroupActions, Limits, Wish, ask_rows, find_actions, learn_moves
from lormika.case import Case, explain_together, locate_together
from lormika.checks import check_choice
from lormika.explanation import Explanation, Failure
from lormika.fingerprint import Fingerprint, hash_background, hash_labels, hash_model
from lormika.frames.values import Scalar
from lormika.goals import Aim, read_aim
from lormika.labels import LabelsLike
from lormika.learning import Given, doubts, learn_parts
from lormika.many import OnError, Pace, explain_rows, locate_rows
from lormika.models import BandsLike
from lormika.options import (
    PAPER_SETTINGS,
    ConstraintsLike,
    ManyKeywords,
    Preset,
    SearchKeywords,
    SearchOptions,
    SettingKeywords,
    Settings,
)
from lormika.parts import Parts
from lormika.session import is_interactive
from lormika.types import UserColumn, UserModel, UserRow, UserTable

if TYPE_CHECKING:
    from lormika.notebook.widget import WhatIf


class Explainer:
    """Explains single predictions of a classifier, or of a regressor by bands, with the best rules around them.

    Parameters
    ----------
    model
        Fitted classifier (with `predict_proba` or `predict`), Pipeline, or function from a frame to labels or
        probabilities; with `bands`, a regressor, or a function from a frame to one number for each row.
    background
        The training table, or part of it: a pandas, polars or pyarrow frame, or a 2-D array (with `feature_names`).
    categorical
        Numeric columns to treat as categories. String, category, bool and object columns always are.
    feature_names, class_names
        Column names for an array; names of the model's classes, in the model's order.
    predictions
        What the model predicts for the background, if already known: saves passing it through the model.
    labels
        Names, units and texts for people, which every view uses: see `Labels`.
    constraints
        What may change in suggested changes: see `Constraints`.
    threshold
        Of two classes: the second is predicted if its probability is at least this. By default, the model's own labels
        count.
    bands
        For a regressor: increasing edges of bands of its values, which are then its classes: `[100, 200]` makes
        `below 100`, `100 to 200` and `200 and above`. Or `"around"`: below, about and above the value that is
        explained, `{"around": 10}` by at least 10.
    preset
        `paper`: use the paper's settings for everything not given: random thinning and draws, numbers not snapped,
        ranges of the whole table, no edits; rules with up to four conditions that are `productive`, k of all kinds
        together, without confirmation.
    **settings
        How to look around an instance, such as `n_generated=5000` or `cuts={"age": [25, 45]}`: see `Settings`.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(500)
    >>> numbers = X[["income", "debt_ratio", "missed_payments", "age"]]
    >>> explainer = Explainer(DecisionTreeClassifier(random_state=0).fit(numbers, y), numbers)
    >>> explanation = explainer.explain({"income": 28, "debt_ratio": 0.2, "missed_payments": 3, "age": 40})
    >>> explanation.prediction
    'rejected'
    >>> print(explanation.current_supporting[0])
    missed_payments ≥ 2 ⇒ rejected
    """

    def __init__(
        self,
        model: UserModel,
        background: UserTable,
        *,
        categorical: Sequence[str | int] | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Scalar] | None = None,
        predictions: UserColumn | None = None,
        labels: LabelsLike = None,
        constraints: ConstraintsLike = None,
        threshold: float | None = None,
        bands: BandsLike = None,
        preset: Preset = "default",
        **settings: Unpack[SettingKeywords],
    ) -> None:
        check_choice("preset", preset, ["default", "paper"])
        as_paper = preset == "paper"
        chosen = (PAPER_SETTINGS if as_paper else Settings()).but(settings)
        given = Given(
            categorical, feature_names, class_names, predictions, labels, constraints, threshold, bands, as_paper
        )
        parts = learn_parts(model, background, given, chosen)
        self._set(parts)
        for doubt in doubts(model, parts):
            warnings.warn(doubt, stacklevel=2)

    @classmethod
    def _of(cls, parts: Parts) -> Explainer:
        """An explainer made from the parts of another one, which has checked them."""
        explainer = cls.__new__(cls)
        explainer._set(parts)
        return explainer

    def _set(self, parts: Parts) -> None:
        self._parts = parts
        self.model, self.background, self.predictions = parts.model, parts.background, parts.predictions
        self.schema, self.settings, self.search_options = parts.schema, parts.settings, parts.search
        self.cuts, self.kernel_width, self.constraints = parts.cuts, parts.kernel_width, parts.constraints
        self.labels = parts.labels

    def __repr__(self) -> str:
        rows, features, classes = len(self.background), len(self.schema), len(self.model.names)
        return f"<Explainer of {classes} classes: {rows:,} rows, {features:,} features>"

    def check(self, **options: Unpack[SearchKeywords]) -> SearchOptions:
        """Refuse search options that are wrong whatever the instance; else give them with all others."""
        chosen = self.search_options.but(options)
        read_aim(self._parts, chosen)
        return chosen

    def locate(self, x: UserRow) -> Case:
        """Ask the model about an instance, similar rows and its edits; the case returned can be explained at will.

        Parameters
        ----------
        x
            One-row frame, Series, dict, or 1-D array in the order of the background's columns.

        Examples
        --------
        >>> from lormika import Explainer, datasets
        >>> X, y = datasets.make_loans(300)
        >>> explainer = Explainer(datasets.make_model("tree", X).fit(X, y), X)
        >>> case = explainer.locate(X.iloc[[0]])
        >>> case.explain(k=1).prediction == case.explain(objective="lift").prediction
        True
        """
        return locate_together(self._parts, self.schema.read_instance(x), Aim(self.constraints))[0]

    def explain(self, x: UserRow, **options: Unpack[SearchKeywords]) -> Explanation:
        """Explain the model's prediction for one instance.

        Parameters
        ----------
        x
            One-row frame, Series, dict, or 1-D array in the order of the background's columns.
        **options
            What to search for, such as `k=3` or `objective="lift"`: see `SearchOptions`.

        Examples
        --------
        >>> from lormika import Explainer, datasets
        >>> X, y = datasets.make_loans(300)
        >>> explainer = Explainer(datasets.make_model("tree", X).fit(X, y), X)
        >>> explanation = explainer.explain(X.iloc[[0]], k=2, target="accepted", constraints={"fixed": ["age"]})
        >>> print(explanation.counterfactual[0].rerun)
        income 35 → 45, missed_payments 2 → 1
        """
        chosen = self.search_options.but(options)
        aim = read_aim(self._parts, chosen)
        cases = locate_together(self._parts, self.schema.read_instance(x), aim)
        return explain_together(cases, chosen, aim, keeps=is_interactive())[0]

    def widget(self, X: UserTable, row: int = 0, **options: Unpack[SearchKeywords]) -> WhatIf | Explanation:
        """A widget for notebooks: a row whose values can be changed, what the model then says, and why.

        Without anywidget (`pip install 'lormika[notebook]'`), the row's explanation as it is, and a warning.

        Parameters
        ----------
        X, row
            Table with the columns of the background, and the number of the row to begin with.
        **options
            What to search for, such as `k=3`: see `SearchOptions`.
        """
        from lormika.notebook import make_widget

        return make_widget(self, X, row, dict(options))

    def explain_many(
        self,
        X: UserTable,
        *,
        n_jobs: int = 1,
        progress: bool = True,
        on_error: OnError = "record",
        chunk_size: int | None = None,
        **options: Unpack[ManyKeywords],
    ) -> Iterator[Explanation | Failure]:
        """Explain the rows of a table, in order.

        Several rows at a time go through the model together. This is several times as fast as explaining them one by
        one, and gives the same explanations.

        Parameters
        ----------
        X
            Table with the columns of the background.
        n_jobs, progress
            Number of threads (-1: one per processor); whether to show a progress bar in a terminal.
        on_error
            What to do with a row that cannot be explained: `record` gives a `Failure` in its place, `raise` stops.
        chunk_size
            Rows to explain at a time; by default, as many as give the model about 50,000 rows per call.
        **options
            What to search for: see `SearchOptions`.

        Examples
        --------
        >>> from lormika import Explainer, datasets
        >>> X, y = datasets.make_loans(300)
        >>> explainer = Explainer(datasets.make_model("tree", X).fit(X, y), X)
        >>> [explanation.prediction for explanation in explainer.explain_many(X.head(3))]
        ['rejected', 'rejected', 'rejected']
        """
        pace = Pace(n_jobs, chunk_size, on_error, progress)
        return explain_rows(self._parts, X, self.check(**options), pace)

    def locate_many(
        self,
        X: UserTable,
        *,
        n_jobs: int = 1,
        progress: bool = True,
        on_error: OnError = "record",
        chunk_size: int | None = None,
    ) -> Iterator[Case | Failure]:
        """Locate the rows of a table, in order, as cases to explain as often as you like; see `explain_many`.

        Examples
        --------
        >>> from lormika import Explainer, datasets
        >>> X, y = datasets.make_loans(300)
        >>> explainer = Explainer(datasets.make_model("tree", X).fit(X, y), X)
        >>> [case.explain(k=1).prediction for case in explainer.locate_many(X.head(2))]
        ['rejected', 'rejected']
        """
        return locate_rows(self._parts, X, Pace(n_jobs, chunk_size, on_error, progress))

    def fingerprint(self, source: str | Path | None = None) -> Fingerprint:
        """SHA-256 of the model and of the background, for the record of a letter; see `Explanation.letter`.

        Parameters
        ----------
        source
            Where the model was loaded from, as `models.load` takes it: a file's bytes are hashed. A model that is only
            known as an object has none.
        """
        return Fingerprint(*hash_model(source), self._hashes[0], len(self.background), self._hashes[1])

    @cached_property
    def _hashes(self) -> tuple[str, str]:
        """Of the background and its labels: made only if somebody asks, and then once."""
        return hash_background(self.background), hash_labels(self.predictions, self.model.names)

    def save(self, folder: str | Path) -> Path:
        """Write everything but the model to a folder, without pickle: arrays, a few rows, and JSON with hashes.

        The model is asked about up to 64 rows of the background: by its answers, `load` knows it again.
        """
        from lormika.saved import save_folder

        return save_folder(self._parts, Path(folder))

    @classmethod
    def load(cls, folder: str | Path, model: UserModel, *, check_model: bool = True) -> Explainer:
        """The explainer that was saved to a folder: it gives the same explanations, to the byte.

        The background is mapped into memory, so that processes share it. A folder that was damaged is refused, and so
        is a model that answers otherwise than the one it was saved with, unless `check_model` is False. Nothing in the
        folder is run, and no other file is opened: it may come from a stranger.

        Examples
        --------
        >>> import tempfile
        >>> from lormika import Explainer, datasets
        >>> X, y = datasets.make_loans(300)
        >>> model = datasets.make_model("tree", X).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = Explainer(model, X).save(f"{folder}/loans-explainer")
        ...     Explainer.load(saved, model)
        <Explainer of 2 classes: 300 rows, 9 features>
        """
        from lormika.saved import load_parts

        return cls._of(load_parts(Path(folder), model, check_model=check_model))

    def group_actions(
        self,
        X: UserTable,
        of: Scalar,
        *,
        most: int = 3,
        candidates: int = 200,
        max_rows: int = 10_000,
        learn_from: int = 200,
        **options: Unpack[SearchKeywords],
    ) -> GroupActions:
        """Find the few changes that together turn most of the rows that the model puts into one class.

        Parameters
        ----------
        X
            Table with the columns of the background.
        of
            The class: only rows with this prediction count.
        most
            Changes to choose, of one or two features each.
        candidates
            Changes that are tried on all rows of the class, at most.
        max_rows, learn_from
            Rows of the class that candidates are tried on, and whose own changes they are made from; of more, as many
            are evenly chosen.
        **options
            `constraints`, `target` and `at_least`, as in `explain`; others do not matter.
        """
        limits = Limits(most, candidates, max_rows, learn_from)
        wish = Wish.of(self._parts, of, self.check(**options))
        asked = ask_rows(self._parts, X)
        return find_actions(self._parts, asked, wish, learn_moves(self._parts, asked, wish, limits.learned), limits)
