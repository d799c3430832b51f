"""Parts: what an explainer is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lormika.explanation import FeatureSummary
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema
from lormika.models import Model
from lormika.options import NeighbourhoodOptions, SearchOptions
from lormika.stages.background import Background
from lormika.stages.spread import Spread

_QUANTILES = 21


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """All that an explainer knows, checked and ready."""

    model: Model
    background: Background
    labels: np.ndarray  # the model's, of the background
    options: NeighbourhoodOptions
    search: SearchOptions  # unless others are asked for
    bins: int
    cuts: Mapping[str, tuple[float, ...]]
    kernel_width: float
    features: tuple[FeatureSummary, ...]
    spread: Spread
    schema: Schema  # of the background; without what is unseen in the instance

    @classmethod
    def of(
        cls,
        model: Model,
        background: Background,
        labels: np.ndarray,
        options: NeighbourhoodOptions,
        search: SearchOptions,
        bins: int,
        cuts: Mapping[str, tuple[float, ...]],
        kernel_width: float,
    ) -> Parts:
        """Beside what is given, all that is the same for every instance."""
        features = tuple(
            FeatureSummary(
                feature.name,
                "numeric" if feature.is_numeric else "categorical",
                tuple(background.quantiles(f, _QUANTILES).tolist()) if feature.is_numeric else (),
            )
            for f, feature in enumerate(background.schema.features)
        )
        spread, schema = Spread.of(background), background.schema
        return cls(model, background, labels, options, search, bins, cuts, kernel_width, features, spread, schema)

    def with_unseen(self, unseen: Unseen) -> Parts:
        """The same parts for an instance with categories that the background does not have."""
        if not unseen:
            return self
        background = self.background.with_unseen(unseen)
        return replace(self, background=background, spread=replace(self.spread, background=background))
