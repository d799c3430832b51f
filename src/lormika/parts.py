"""Parts: what an explainer is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lormika.constraints import Constraints
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema
from lormika.labels import NO_LABELS, Labels
from lormika.models import Model
from lormika.options import SearchOptions, Settings
from lormika.stages.background import Background
from lormika.stages.cuts import equal_frequency_cuts
from lormika.stages.spread import Spread
from lormika.summaries import FeatureSummary

_QUANTILES = 21
_KEPT = 16 << 20  # bytes


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Everything an explainer knows, checked and ready."""

    model: Model
    background: Background
    predictions: np.ndarray  # of the background: labels; values, if every instance has bands of its own
    settings: Settings
    search: SearchOptions  # unless others are asked for
    cuts: Mapping[str, tuple[float, ...]]  # of the settings, checked
    features: tuple[FeatureSummary, ...]
    spread: Spread
    schema: Schema  # of the background; without what is unseen in the instance
    constraints: tuple[Constraints, ...] = ()  # of everything that is explained
    labels: Labels = NO_LABELS

    @classmethod
    def of(
        cls,
        model: Model,
        background: Background,
        predictions: np.ndarray,
        settings: Settings,
        search: SearchOptions,
        cuts: Mapping[str, tuple[float, ...]],
        constraints: tuple[Constraints, ...] = (),
        labels: Labels = NO_LABELS,
    ) -> Parts:
        """Add everything else that is the same for every instance."""
        _keep_freed_memory()
        features = tuple(
            FeatureSummary(
                feature.name,
                "numeric" if feature.is_numeric else "categorical",
                tuple(background.quantiles(f, _QUANTILES).tolist()) if feature.is_numeric else (),
            )
            for f, feature in enumerate(background.schema.features)
        )
        spread, schema = Spread.of(background), background.schema
        return cls(
            model, background, predictions, settings, search, cuts, features, spread, schema, constraints, labels
        )

    @property
    def kernel_width(self) -> float:
        """Kernel width of the reported similarity."""
        return float(self.settings.kernel_width or 0.75 * math.sqrt(len(self.schema)))

    @property
    def rows_asked(self) -> int:
        """About how many rows the model is asked about for one instance."""
        return self.settings.n_generated + self.settings.n_asked + 1

    def with_unseen(self, unseen: Unseen) -> Parts:
        """The same parts for an instance with categories that do not occur in the background."""
        if not unseen:
            return self
        background = self.background.with_unseen(unseen)
        return replace(self, background=background, spread=replace(self.spread, background=background))

    def at(self, value: float) -> Parts:
        """The same parts for an instance with this value: with its own bands, and their edges as texts."""
        own = self.model.bands
        assert own is not None
        bands = own.at(value)
        texts = dict(zip(bands.names, bands.texts, strict=True))
        return replace(
            self,
            model=replace(self.model, bands=bands),
            predictions=bands.positions(self.predictions).astype(np.int32),
            labels=replace(self.labels, classes=texts | dict(self.labels.classes)),
        )


def whole_table_cuts(background: Background, bins: int) -> dict[str, tuple[float, ...]]:
    """Ranges of each number with about equally many rows of the whole table, as in the paper.

    With these, most rows of a neighbourhood may share a range, and a rule may cover nearly all of them.
    """
    cuts = {}
    for f, feature in enumerate(background.schema.features):
        if feature.is_numeric:
            values = background.distinct[f][background.codes[f]]
            cuts[feature.name] = tuple(equal_frequency_cuts(values[~np.isnan(values)], bins).tolist())
    return cuts


def _keep_freed_memory() -> None:
    """Let some megabytes that are freed stay with the process.

    Each explanation takes and frees arrays of some megabytes, and so does the model. glibc gives them back to the
    system and fetches them anew, page by page, which takes up to a tenth of the time. But it keeps twice as much as the
    largest array that was freed so far (see M_MMAP_THRESHOLD in mallopt(3)): so one is taken and freed here. Nothing is
    written into it, so that there is never memory behind it.
    """
    np.empty(_KEPT, dtype=np.uint8)
