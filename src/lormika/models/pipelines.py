"""Pipelines of scikit-learn that begin with a ColumnTransformer: encoded rows need not become a frame for them.

What the first step would give is put together from tables, see `columns`; the other steps are asked as they are. As
with forests, the first thousand rows are compared with what the step itself gives, and frames are used if one cell
differs.
"""

from __future__ import annotations

import operator
import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np

from lormika import _core
from lormika.frames.encoded import Encoded
from lormika.frames.schema import Schema
from lormika.models.calls import Ask
from lormika.models.columns import Columns, dense
from lormika.models.forests import QuickForest, quicken_forest
from lormika.models.owner import owner
from lormika.types import UserModel, UserTable

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer

_ROWS_TO_COMPARE = 1000


def quicken(ask: Ask) -> Ask:
    """A quicker way to the same answers, if this is a method for which there is one."""
    return quicken_forest(ask) if _first_step(ask) is None else QuickPipeline(ask)


class QuickPipeline:
    """A way of asking a pipeline about a frame or about encoded rows, which notices if it is fitted anew."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.__self__: UserModel = getattr(ask, "__self__", None)  # as a method has it
        self.__qualname__: str = getattr(ask, "__qualname__", "")
        self._steps: _Steps | None = None

    def __reduce__(self) -> tuple[type[QuickPipeline], tuple[Ask]]:
        return QuickPipeline, (self.ask,)

    def __call__(self, table: UserTable | Encoded) -> object:
        """What the pipeline's own method returns."""
        first = _first_step(self.ask)
        if first is None:  # any longer
            return self.ask(table.restore() if isinstance(table, Encoded) else table)
        steps = self._steps  # another thread may replace them meanwhile
        if steps is None or not steps.are_of(owner(self.ask)):
            steps = self._steps = _Steps(self.ask, first)
        if not isinstance(table, Encoded):
            return steps.ask(table)
        outputs = steps.read(table)
        return steps.ask(table.restore()) if outputs is None else steps.ask_rest(outputs)


class _Steps:
    """The steps of a fitted pipeline: the first, and a quick way through the rest."""

    def __init__(self, ask: Ask, first: ColumnTransformer) -> None:
        pipeline = owner(ask)
        self._ask, self._first, self._all = ask, first, [step for _, step in pipeline.steps]
        self.rest = quicken_forest(getattr(pipeline[1:], getattr(ask, "__name__", "")))
        self._next = self.rest if isinstance(self.rest, QuickForest) and len(self._all) == 2 else None
        self._schema: Schema | None = None
        self._columns: Columns | None = None
        self._compared = 0  # rows about which the first step itself was asked as well

    def are_of(self, pipeline: UserModel) -> bool:
        """Whether they are those of the pipeline as it is now."""
        now = [step for _, step in pipeline.steps]
        return len(now) == len(self._all) and all(map(operator.is_, now, self._all))

    def ask(self, table: UserTable) -> object:
        """The answer about a frame."""
        return self.rest(self._first.transform(table)) if isinstance(self.rest, QuickForest) else self._ask(table)

    def ask_rest(self, outputs: np.ndarray) -> object:
        """The answer about what the first step gives; a forest would make an array of a sparse table anyway."""
        answer = None if self._next is None else self._next.about(outputs)
        if answer is not None:
            return answer
        if not self._first.sparse_output_:
            return self.rest(outputs)
        from scipy.sparse import csr_matrix

        sparse: object = csr_matrix(_core.without_zeros(outputs), shape=outputs.shape)
        return self.rest(sparse)

    def read(self, table: Encoded) -> np.ndarray | None:
        """What the first step gives for encoded rows; None: it must be asked itself."""
        columns = self._columns
        if self._schema is not table.schema or (columns is not None and not self._is_as_read(columns)):
            columns = self._columns = _read(self._first, table.schema)
            self._schema, self._compared = table.schema, 0
        if columns is None:
            return None
        try:
            outputs = (
                self._tried(columns, table) if self._compared < _ROWS_TO_COMPARE else columns.transform(table.rows)
            )
        except Exception:  # of the step, which will say so itself; or it is not as it was when this was written
            outputs = None
            if not self._compared:
                self._columns = None
        return outputs

    def _is_as_read(self, columns: Columns) -> bool:
        """Whether the first step has the same parts as when it was read."""
        try:
            return columns.are_of(self._first)
        except Exception:  # others were put in, of which nothing is known
            return False

    def _tried(self, columns: Columns, table: Encoded) -> np.ndarray | None:
        """The outputs, if they are the same as those of the first step itself, which is asked about some rows."""
        count = min(_ROWS_TO_COMPARE - self._compared, len(table))
        chosen = np.linspace(0, len(table) - 1, count).astype(np.int64)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outputs = columns.transform(table.rows)
            own = dense(self._first.transform(table.schema.restore(table.rows[chosen])))
        is_same = own.dtype == outputs.dtype and np.array_equal(own, outputs[chosen], equal_nan=True)
        if is_same and not caught:  # the user is to see all warnings, as often as they are given
            self._compared += count
            return outputs
        self._columns = None
        return None


def _read(first: ColumnTransformer, schema: Schema) -> Columns | None:
    try:
        return Columns(first, schema)
    except Exception:  # it has parts that are not known here, or is not as it was when this was written
        return None


def _first_step(ask: Ask) -> ColumnTransformer | None:
    """The fitted ColumnTransformer with which the pipeline begins whose method this is."""
    pipelines, compose = sys.modules.get("sklearn.pipeline"), sys.modules.get("sklearn.compose")
    model = owner(ask)
    if pipelines is None or compose is None or type(model) is not pipelines.Pipeline or len(model.steps) < 2:
        return None
    method, first = getattr(ask, "__name__", ""), model.steps[0][1]
    is_own = hasattr(pipelines.Pipeline, method) and method not in vars(model)
    is_plain = type(first) is compose.ColumnTransformer and "transform" not in vars(first)
    return first if is_own and is_plain and hasattr(first, "transformers_") else None
