"""Answers: what a model said of a few rows, by which it is known again."""

from __future__ import annotations

import numpy as np

from lormika.errors import InputError
from lormika.models import Answer
from lormika.parts import Parts
from lormika.saved.plain_files import DamagedError
from lormika.types import JsonObject

_ROWS = 64  # evenly chosen
_NUMBERS = 8192  # of a model with very many classes
_RELATIVE, _ABSOLUTE = 1e-5, 1e-6  # a server answers in single precision


def ask_some(parts: Parts) -> JsonObject:
    """What the model says about some rows of the background."""
    n_rows = len(parts.background)
    most = max(4, min(_ROWS, _NUMBERS // len(parts.model.names)))
    rows = np.unique(np.linspace(0, n_rows - 1, min(most, n_rows)).round().astype(np.intp))
    answer = _ask(parts, rows)
    certainty = _certainty(answer)
    return {
        "rows": rows.tolist(),
        "labels": answer.labels.tolist(),
        "certainty": None if certainty is None else certainty.tolist(),
    }


def check_answers(parts: Parts, before: JsonObject | None) -> None:
    """Refuse a model that answers otherwise than the one with which the explainer was saved."""
    if before is None:
        raise InputError("what its model said was not saved with it: give check_model=False to use it with this one")
    rows = np.asarray(before["rows"])
    if rows.ndim != 1 or rows.dtype.kind != "i" or not ((rows >= 0) & (rows < len(parts.background))).all():
        raise DamagedError("it names rows that it does not have")
    answer = _ask(parts, rows)
    certainty = _certainty(answer)
    if certainty is None or before["certainty"] is None:
        same = certainty is None and before["certainty"] is None and answer.labels.tolist() == before["labels"]
    else:
        then = np.asarray(before["certainty"], dtype=np.float64)
        same = then.shape == certainty.shape and np.allclose(certainty, then, rtol=_RELATIVE, atol=_ABSOLUTE)
    if not same:
        raise InputError(
            f"it was saved with another model, which answers otherwise about {len(rows)} of its rows: give that model, "
            "or check_model=False to use its rows with this one"
        )


def _ask(parts: Parts, rows: np.ndarray) -> Answer:
    return parts.model(parts.schema.restore(parts.background.rows(rows)))


def _certainty(answer: Answer) -> np.ndarray | None:
    return next((one for one in (answer.probabilities, answer.scores, answer.values) if one is not None), None)
