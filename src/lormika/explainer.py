"""Explainer: the stages wired together."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np

from lormika import frames, many
from lormika.case import Case, explain, locate
from lormika.errors import InputError
from lormika.explanation import Explanation, Failure
from lormika.frames.instances import Instances
from lormika.frames.schema import encoded_columns, read_schema
from lormika.frames.values import Scalar
from lormika.many import blocks
from lormika.models import as_model
from lormika.options import (
    MOST_BINS,
    PAPER_NEIGHBOURHOOD,
    PAPER_SEARCH,
    Design,
    NeighbourhoodOptions,
    Preset,
    SearchKeywords,
    SearchOptions,
    Thin,
    check_choice,
    check_integer,
    check_number,
)
from lormika.parts import Parts
from lormika.stages import neighbourhood
from lormika.stages.asking import Spread, run_together
from lormika.stages.background import Background
from lormika.stages.items import check_cuts, equal_frequency_cuts


class Explainer:
    """Explains single predictions of a classifier with the best rules in their neighbourhood.

    Parameters
    ----------
    model
        Fitted classifier (with `predict_proba` or `predict`), Pipeline, or function from a frame to labels or
        probabilities.
    background
        The training table, or a part of it: pandas, polars or pyarrow frame, or 2-D array (with `feature_names`).
    categorical
        Numeric columns that are categories. String, category, bool and object columns always are.
    feature_names, class_names
        Names of an array's columns; names of the model's classes, in the model's order.
    labels
        The model's labels of the background, if already known: saves passing it through the model.
    min_neighbours, max_neighbours
        How many similar rows of each class are taken at least, and kept at most.
    kernel_width
        Width of the similarity that is reported, by default 0.75 times the root of the number of features.
    thin
        A class with too many neighbours keeps its `nearest`, or a `random` sample as in the paper.
    n_generated, snap
        How many new rows are made; whether their numbers move to the nearest value of the background.
    design
        How new rows are spread: `even`, the same for every seed, or by `random` draws as in the paper.
    n_asked
        Most edits of the instance that the model is asked about at a time, to tell whether rules are true of it.
    bins, cuts
        Ranges of each numeric feature, or cut points by name: `{"age": [25, 45]}`.
    preset
        `paper`: all that the paper says, unless you say otherwise. Random thinning and draws, numbers that are not
        snapped, ranges of the whole table, no edits; and rules of up to four conditions that are `productive`, k of all
        kinds together, which are not confirmed.
    random_state
        Seed of what is `random` above: nothing by default. The same inputs give the same explanation, alone or in a
        batch.

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
    missed_payments ≥ 3 ⇒ rejected
    """

    def __init__(
        self,
        model: Any,
        background: Any,
        *,
        categorical: Sequence[str | int] | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Scalar] | None = None,
        labels: Any = None,
        min_neighbours: int | None = None,
        max_neighbours: int | None = None,
        kernel_width: float | None = None,
        thin: Thin | None = None,
        n_generated: int | None = None,
        design: Design | None = None,
        snap: bool | None = None,
        n_asked: int | None = None,
        bins: int = 3,
        cuts: Mapping[str, Sequence[float]] | None = None,
        random_state: int = 0,
        preset: Preset = "default",
    ) -> None:
        check_choice("preset", preset, ["default", "paper"])
        as_paper = preset == "paper"
        chosen = {
            "min_neighbours": min_neighbours, "max_neighbours": max_neighbours, "thin": thin,
            "n_generated": n_generated, "design": design, "snap": snap, "n_asked": n_asked,
        }  # fmt: skip
        named = {name: value for name, value in chosen.items() if value is not None}
        presets = PAPER_NEIGHBOURHOOD if as_paper else {}
        options = NeighbourhoodOptions(**presets | named, random_state=random_state)
        check_integer("bins", bins, 2, MOST_BINS)
        if kernel_width is not None:
            check_number("kernel_width", kernel_width, 1e-9, 1e9)
        if isinstance(background, Mapping):
            raise InputError("the background is a dict; give a frame, such as pandas.DataFrame(background)")
        reader = frames.read(background, feature_names)
        schema = read_schema(reader, categorical)
        if reader.n_rows < 3:
            raise InputError(f"the background has {reader.n_rows} row(s): new rows are made from three different ones")
        points, width = check_cuts(schema, cuts), float(kernel_width or 0.75 * math.sqrt(len(schema)))
        coded = Background.of(schema, encoded_columns(schema, reader))
        asked, known = as_model(model, background, reader.n_rows, class_names, labels)
        if len(np.unique(known)) < 2:
            raise InputError(
                f"the model gives every row of the background the label {asked.names[known[0]]!r}: there is nothing to "
                "compare; give a background with rows of other classes too"
            )
        if as_paper:
            points = whole_table_cuts(coded, bins) | points
        search = PAPER_SEARCH if as_paper else SearchOptions()
        parts = Parts.of(asked, coded, known.astype(np.int32), options, search, bins, points, width)
        self._set(parts)
        if parts.spread.identifiers:
            told = frames.listing(schema.names[f] for f in sorted(parts.spread.identifiers))
            warnings.warn(f"part of no rule, because nearly all values differ: {told}", stacklevel=2)

    @classmethod
    def _of(cls, parts: Parts) -> Explainer:
        """An explainer from the parts of another one, which checked them."""
        explainer = cls.__new__(cls)
        explainer._set(parts)
        return explainer

    def _set(self, parts: Parts) -> None:
        self._parts = parts
        self.model, self.background, self.labels = parts.model, parts.background, parts.labels
        self.schema, self.neighbourhood_options = parts.background.schema, parts.options
        self.search_options = parts.search
        self.bins, self.cuts, self.kernel_width = parts.bins, parts.cuts, parts.kernel_width

    def __repr__(self) -> str:
        rows, features, classes = len(self.background), len(self.schema), len(self.model.names)
        return f"<Explainer of {classes} classes: {rows:,} rows, {features:,} features>"

    def locate(self, x: Any) -> Case:
        """Ask the model about one instance, similar rows and edits of it; the case can then be explained at will.

        Parameters
        ----------
        x
            One-row frame, Series, dict, or 1-D array in the order of the background's columns.
        """
        return self._locate(self.schema.read_instance(x))[0]

    def explain(self, x: Any, **options: Unpack[SearchKeywords]) -> Explanation:
        """Explain the model's prediction of one instance.

        Parameters
        ----------
        x
            One-row frame, Series, dict, or 1-D array in the order of the background's columns.
        **options
            What to search for, such as `k=3` or `objective="lift"`: see `SearchOptions`.
        """
        chosen = self.search_options.but(options)
        return self._explain(self.schema.read_instance(x), chosen)[0]

    def explain_many(
        self,
        X: Any,
        *,
        n_jobs: int = 1,
        progress: bool = True,
        on_error: many.OnError = "record",
        chunk_size: int | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Iterator[Explanation | Failure]:
        """Explain the rows of a table, in order.

        Some rows at a time go through the model together, which is several times as fast as one by one and changes
        nothing in the explanations.

        Parameters
        ----------
        X
            Table with the columns of the background.
        n_jobs, progress
            How many threads work at a time (-1: as many as processors); whether to show a bar in a terminal.
        on_error
            What becomes of a row that cannot be explained: `record` gives a `Failure` in its place, `raise` ends there.
        chunk_size
            How many rows at a time; by default so many that the model gets about 50,000 rows.
        **options
            What to search for: see `SearchOptions`.
        """
        return many.explain_rows(
            self._explain, self.schema, X, self.search_options.but(options), n_jobs=n_jobs, chunk_size=chunk_size,
            sample_rows=self.neighbourhood_options.n_generated + self.neighbourhood_options.n_asked + 1,
            on_error=on_error, progress=progress,
        )  # fmt: skip

    def _locate(self, instances: Instances, spread: Spread = map) -> list[Case]:
        """Locate encoded instances, with shared model calls."""
        find = partial(neighbourhood.find, self.background, self.labels, options=self.neighbourhood_options)
        near = [one for some in spread(find, blocks(instances.rows)) for one in some]
        ways = [locate(self._parts, *one) for one in zip(instances.rows, instances.unseen, near, strict=True)]
        return run_together(self.model, self.schema, ways, instances.unseen, spread)

    def _explain(self, instances: Instances, options: SearchOptions, spread: Spread = map) -> list[Explanation]:
        """Explain encoded instances, with shared model calls."""
        ways = [explain(case, options) for case in self._locate(instances, spread)]
        return run_together(self.model, self.schema, ways, instances.unseen, spread)


def whole_table_cuts(background: Background, bins: int) -> dict[str, tuple[float, ...]]:
    """Ranges of each number with about equally many rows of the whole table, as in the paper.

    So most rows of a neighbourhood may share a range, and a rule may cover nearly all of them.
    """
    cuts = {}
    for f, feature in enumerate(background.schema.features):
        if feature.is_numeric:
            values = background.distinct[f][background.codes[f]]
            cuts[feature.name] = tuple(equal_frequency_cuts(values[~np.isnan(values)], bins).tolist())
    return cuts
