"""Values that the data do not have: what the model says of them rests on no row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from lormika.parts import Parts


def outside_notes(parts: Parts, row: np.ndarray) -> dict[str, str]:
    """By feature: why no row of the background is like that, for values of an encoded row."""
    notes = {}
    for f, (feature, value) in enumerate(zip(parts.schema.features, row.tolist(), strict=True)):
        observed, name = parts.background.observed(f), feature.name
        if math.isnan(value):
            if len(observed) == len(parts.background.distinct[f]):
                notes[name] = "It is never missing in the data."
        elif not feature.is_numeric:
            if value not in observed:
                notes[name] = "No row of the data has this: the model's answer rests on no similar row."
        elif len(observed) and not observed[0] <= value <= observed[-1]:
            least, most = (parts.labels.write(name, float(end), exactly=True) for end in (observed[0], observed[-1]))
            notes[name] = f"Outside the data, which go from {least} to {most}."
    return notes
