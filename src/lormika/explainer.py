"""Explainer: the stages wired together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from lormika import frames, many, neighbourhood, notes
from lormika.background import Background
from lormika.errors import InputError
from lormika.explanation import ClassSummary, Explanation, Failure, FeatureSummary, NeighbourhoodSummary
from lormika.items import check_cuts, itemise
from lormika.many import Spread, blocks
from lormika.models import Answer, Model, as_model
from lormika.neighbourhood import Neighbourhood
from lormika.options import (
    MOST_BINS,
    Design,
    NeighbourhoodOptions,
    Per,
    SearchOptions,
    Thin,
    check_integer,
    check_number,
)
from lormika.rerun import Case, rerun
from lormika.rule import Rule
from lormika.sample import Sample, label
from lormika.schema import encoded_columns, read_schema
from lormika.search import k_optimal_rules
from lormika.values import Scalar, plain
from lormika.version import __version__

_QUANTILES = 21


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What an explainer is made of, checked and ready."""

    model: Model
    background: Background
    labels: np.ndarray  # the model's, of the background
    options: NeighbourhoodOptions
    bins: int
    cuts: Mapping[str, tuple[float, ...]]
    kernel_width: float


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
    bins, cuts
        Ranges of each numeric feature, or cut points by name: `{"age": [25, 45]}`.
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
        min_neighbours: int = 40,
        max_neighbours: int = 200,
        kernel_width: float | None = None,
        thin: Thin = "nearest",
        n_generated: int = 2000,
        design: Design = "even",
        snap: bool = True,
        bins: int = 3,
        cuts: Mapping[str, Sequence[float]] | None = None,
        random_state: int = 0,
    ) -> None:
        options = NeighbourhoodOptions(min_neighbours, max_neighbours, thin, n_generated, design, snap, random_state)
        check_integer("bins", bins, 2, MOST_BINS)
        if kernel_width is not None:
            check_number("kernel_width", kernel_width, 1e-9)
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
        self._set(Parts(asked, coded, known.astype(np.int32), options, bins, points, width))

    @classmethod
    def _of(cls, parts: Parts) -> Explainer:
        """An explainer from the parts of another one, which checked them."""
        explainer = cls.__new__(cls)
        explainer._set(parts)
        return explainer

    def _set(self, parts: Parts) -> None:
        self.model, self.background, self.labels = parts.model, parts.background, parts.labels
        self.schema, self.neighbourhood_options = parts.background.schema, parts.options
        self.bins, self.cuts, self.kernel_width = parts.bins, parts.cuts, parts.kernel_width
        self._features = tuple(
            FeatureSummary(
                feature.name,
                "numeric" if feature.is_numeric else "categorical",
                tuple(self.background.quantiles(f, _QUANTILES).tolist()) if feature.is_numeric else (),
            )
            for f, feature in enumerate(self.schema.features)
        )

    def explain(
        self,
        x: Any,
        *,
        k: int = 5,
        objective: str = "leverage",
        max_conditions: int = 3,
        min_count: int = 10,
        m: float = 2.0,
        filter: str = "significant",
        alpha: float = 0.05,
        correction: str = "layered",
        per: Per = "category",
    ) -> Explanation:
        """Explain the model's prediction of one instance.

        Parameters
        ----------
        x
            One-row frame, Series, dict, or 1-D array in the order of the background's columns.
        k, per
            How many rules: `per="category"` of each of the four kinds, `per="overall"` of all kinds together.
        objective
            The measure to be best by: support, coverage, confidence, lift or leverage.
        max_conditions, min_count, m
            Most conditions of a rule (up to 6), fewest rows of the sample it must match, and the m-estimate that tames
            the confidence and lift of rules with few rows.
        filter, alpha, correction
            `none`, `nonredundant`, `productive` or `significant`; significance level, and its correction for the number
            of rules tried: `none`, `bonferroni` or `layered`.
        """
        options = SearchOptions(
            k=k, objective=objective, max_conditions=max_conditions, min_count=min_count, m=m,
            filter=filter, alpha=alpha, correction=correction, per=per,
        )  # fmt: skip
        return self._explain(self.schema.encode_instance(x)[None], options)[0]

    def explain_many(
        self,
        X: Any,
        *,
        n_jobs: int = 1,
        progress: bool = True,
        on_error: many.OnError = "record",
        chunk_size: int | None = None,
        k: int = 5,
        objective: str = "leverage",
        max_conditions: int = 3,
        min_count: int = 10,
        m: float = 2.0,
        filter: str = "significant",
        alpha: float = 0.05,
        correction: str = "layered",
        per: Per = "category",
    ) -> Iterator[Explanation | Failure]:
        """Explain the rows of a table, in order; see `explain` for the options of the search.

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
        """
        options = SearchOptions(
            k=k, objective=objective, max_conditions=max_conditions, min_count=min_count, m=m,
            filter=filter, alpha=alpha, correction=correction, per=per,
        )  # fmt: skip
        return many.explain_rows(
            self._explain, self.schema, X, options, n_jobs=n_jobs, chunk_size=chunk_size,
            sample_rows=self.neighbourhood_options.n_generated + 1, on_error=on_error, progress=progress,
        )  # fmt: skip

    def _explain(self, instances: np.ndarray, options: SearchOptions, spread: Spread = map) -> list[Explanation]:
        """Explain encoded instances, with one model call for their samples and one for their re-runs."""
        find = partial(neighbourhood.find, self.background, self.labels, options=self.neighbourhood_options)
        near = [one for some in spread(find, blocks(instances)) for one in some]
        samples, answers = zip(*label(self.model, self.schema, instances, near), strict=True)
        search = partial(self._search, options=options)
        found = list(spread(search, instances, samples, answers))
        cases = [Case(*case) for case in zip(instances, (s.encoded for s in samples), answers, found, strict=True)]
        reruns = rerun(self.model, self.background, cases)
        tell = partial(self._tell, options=options, given=self._options(options))
        return [tell(*told) for told in zip(instances, near, samples, answers, reruns, strict=True)]

    def _search(self, instance: np.ndarray, sample: Sample, answer: Answer, options: SearchOptions) -> list[Rule]:
        items = itemise(self.schema, sample.encoded, instance, bins=self.bins, cuts=self.cuts)
        return k_optimal_rules(
            items, sample.labels, self.model.names, options,
            prediction=int(answer.labels[0]), n_real=int(sample.real.sum()),
        )  # fmt: skip

    def _tell(
        self,
        instance: np.ndarray,
        near: Neighbourhood,
        sample: Sample,
        answer: Answer,
        told: tuple[list[Rule], bool],
        options: SearchOptions,
        given: dict[str, Any],
    ) -> Explanation:
        rules, repeats = told
        prediction = self.model.names[int(answer.labels[0])]
        return Explanation(
            instance=self.schema.decode(instance),
            prediction=prediction,
            rules=tuple(rules),
            notes=(
                *notes.about_instance(self.background, instance),
                *notes.about_neighbourhood(near.neighbours, len(self.background)),
                *notes.about_model(repeats, self.labels[near.selected], sample, answer),
                *notes.about_rules(rules, sample, prediction, options),
            ),
            features=self._features,
            classes=self._classes(sample, answer),
            neighbourhood=NeighbourhoodSummary(
                near.n_real, len(near.rows) - near.n_real, near.neighbours, self._similarity(near.cut)
            ),
            options=given.copy(),
            versions={"lormika": __version__, "numpy": np.__version__},
            sample=sample,
        )

    def _similarity(self, squared_distance: float) -> float:
        return math.exp(-squared_distance / (2 * self.kernel_width**2))

    def _classes(self, sample: Sample, answer: Answer) -> tuple[ClassSummary, ...]:
        rows = np.bincount(sample.labels, minlength=len(self.model.names)).tolist()
        real = np.bincount(sample.labels[sample.real], minlength=len(self.model.names)).tolist()
        chances = [None] * len(rows) if answer.probabilities is None else answer.probabilities[0].tolist()
        return tuple(map(ClassSummary, self.model.names, rows, real, chances))

    def _options(self, options: SearchOptions) -> dict[str, Any]:
        """All options as plain data."""
        given = asdict(self.neighbourhood_options) | {"kernel_width": self.kernel_width, "bins": self.bins}
        cuts = {name: list(points) for name, points in self.cuts.items()}
        return {name: plain(value) for name, value in (given | asdict(options)).items()} | {"cuts": cuts}
