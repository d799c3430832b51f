"""Explanation: everything that was found about one prediction."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lormika import payload as payloads
from lormika.errors import InputError
from lormika.options import check_choice, check_integer
from lormika.rule import Category, Rule
from lormika.sample import Sample
from lormika.values import Scalar, format_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDEST = 110  # columns of text


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """A feature as views need it: its kind, and how its numbers are spread in the background."""

    name: str
    kind: str  # "numeric" or "categorical"
    quantiles: tuple[float, ...]  # from least to greatest, evenly spaced; empty for a categorical feature


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """How many rows of the sample the model gives a class."""

    label: Scalar
    rows: int
    real: int
    probability: float | None  # the model's probability of this class for the instance


@dataclass(frozen=True, slots=True)
class NeighbourhoodSummary:
    """How the neighbourhood came about."""

    selected: int  # real rows in the sample
    generated: int
    neighbours: int  # real rows similar enough, before a class with too many was thinned
    cut_similarity: float  # the least similarity of a neighbour


@dataclass(frozen=True, slots=True)
class Failure:
    """A row of a table that could not be explained; it stands in the place of an explanation."""

    row: int  # number of the row, from 0
    reason: str

    @property
    def rules(self) -> tuple[Rule, ...]:
        """None; so that whoever collects rules need not ask."""
        return ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """The k best rules of each kind about one prediction, with all that is needed to read them."""

    instance: dict[str, Scalar | None]
    prediction: Scalar
    rules: tuple[Rule, ...]
    notes: tuple[str, ...]
    features: tuple[FeatureSummary, ...]
    classes: tuple[ClassSummary, ...]
    neighbourhood: NeighbourhoodSummary
    options: dict[str, Any]
    versions: dict[str, str]
    sample: Sample | None = None  # not part of the payload

    @property
    def probability(self) -> float | None:
        """The model's probability of its prediction; None: it gives none."""
        return next(c.probability for c in self.classes if c.label == self.prediction)

    @property
    def probabilities(self) -> dict[Scalar, float] | None:
        """The model's probability of each class; None: it gives none."""
        if self.probability is None:
            return None
        return {c.label: c.probability for c in self.classes if c.probability is not None}

    @property
    def current_supporting(self) -> tuple[Rule, ...]:
        """Why this: rules that hold now and lead to the prediction."""
        return self._of(Category.CURRENT_SUPPORTING)

    @property
    def current_contradicting(self) -> tuple[Rule, ...]:
        """What speaks against it: rules that hold now and lead elsewhere."""
        return self._of(Category.CURRENT_CONTRADICTING)

    @property
    def hypothetical_supporting(self) -> tuple[Rule, ...]:
        """What would make it more certain: rules that do not hold now and lead to the prediction."""
        return self._of(Category.HYPOTHETICAL_SUPPORTING)

    @property
    def hypothetical_contradicting(self) -> tuple[Rule, ...]:
        """What would turn it: rules that do not hold now and lead elsewhere."""
        return self._of(Category.HYPOTHETICAL_CONTRADICTING)

    counterfactual = hypothetical_contradicting

    def _of(self, category: Category) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.category == category)

    def to_dict(self) -> payloads.Payload:
        """Plain data, described by `lormika.payload.json_schema()`."""
        return {
            "format": payloads.FORMAT,
            "version": payloads.VERSION,
            "instance": dict(self.instance),
            "prediction": self.prediction,
            "rules": [payloads.dump_rule(rule) for rule in self.rules],
            "notes": list(self.notes),
            "features": [{"name": f.name, "kind": f.kind, "quantiles": list(f.quantiles)} for f in self.features],
            "classes": [
                {"label": c.label, "rows": c.rows, "real": c.real, "probability": c.probability} for c in self.classes
            ],
            "neighbourhood": {
                "selected": self.neighbourhood.selected,
                "generated": self.neighbourhood.generated,
                "neighbours": self.neighbourhood.neighbours,
                "cut_similarity": self.neighbourhood.cut_similarity,
            },
            "options": dict(self.options),
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> Explanation:
        """The inverse of `to_dict`; the sample is not kept."""
        payloads.check(payload)
        return cls(
            instance=dict(payload["instance"]),
            prediction=payload["prediction"],
            rules=tuple(payloads.load_rule(rule) for rule in payload["rules"]),
            notes=tuple(payload["notes"]),
            features=tuple(FeatureSummary(f["name"], f["kind"], tuple(f["quantiles"])) for f in payload["features"]),
            classes=tuple(ClassSummary(**c) for c in payload["classes"]),
            neighbourhood=NeighbourhoodSummary(**payload["neighbourhood"]),
            options=dict(payload["options"]),
            versions=dict(payload["versions"]),
        )

    def to_json(self, indent: int | None = None) -> str:
        """The payload as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Explanation:
        """The inverse of `to_json`."""
        try:
            payload = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"this is not JSON: {error}") from None
        return cls.from_dict(payload)

    def to_frame(self) -> Any:
        """A pandas frame with a row for each rule."""
        from lormika.views import frame

        return frame.to_frame(self.to_dict())

    def to_text(self, width: int | None = None) -> str:
        """Readable text, by default as wide as the terminal; also what `print` shows."""
        from lormika.views import text

        if width is None:
            width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
        check_integer("width", width, 40)
        return text.to_text(self.to_dict(), width)

    def summary(self) -> str:
        """The explanation in a few sentences."""
        from lormika.views import narrative

        return narrative.to_summary(self.to_dict())

    def to_html(self, page: bool = True) -> str:
        """A self-contained page, or only the fragment that notebooks show; neither needs a script or the network."""
        from lormika.views import html

        return html.to_report(self.to_dict()) if page else html.to_html(self.to_dict())

    def plot(self, kind: Literal["matrix", "scatter"] = "matrix") -> Figure:
        """A matplotlib figure: the rules as a matrix, or their confidence over their coverage."""
        from lormika.views import plot

        check_choice("kind", kind, ["matrix", "scatter"])
        return plot.matrix(self.to_dict()) if kind == "matrix" else plot.scatter(self.to_dict())

    def save(self, path: str | Path) -> Path:
        """Write to a file by its suffix: html, json, csv, parquet, txt, png, svg or pdf."""
        from lormika.views import files

        return files.save(self.to_dict(), Path(path))

    def _repr_html_(self) -> str:
        return self.to_html(page=False)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": self.to_text()}

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        found = ", ".join(f"{len(self._of(c))} {c.value.replace('_', ' ')}" for c in Category)
        return f"<Explanation of {format_value(self.prediction)!r}: {found}>"
