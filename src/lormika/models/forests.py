"""Random forests of scikit-learn, whose trees a kernel of ours follows: the same answers in a fraction of the time.

scikit-learn sends one row after the other down a tree, each waiting for memory, and starts a task for every tree. Here
rows go down together, for as long as they go the same way, and a node is asked about sixty-four of them at a time.
Leaves are added up in the same order, so that sums are the same to the last bit; still, the forest itself is asked
about the first thousand rows, and about everything if a single answer differs.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lormika import _core
from lormika.models.calls import Ask
from lormika.models.owner import is_own, is_own_class, owner
from lormika.types import UserModel, UserTable

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.ensemble._forest import BaseForest
    from sklearn.tree._tree import Tree

    Rows: TypeAlias = np.ndarray | csr_matrix  # as one-hot encoders make them, unless they are told otherwise

T = TypeVar("T")

_ROWS_TO_COMPARE = 1000
_TOLERANCE = 1e-12  # with several jobs, scikit-learn adds up in any order
_BLOCK = 4096  # rows that go down the trees together; more would not stay in the processor's cache
_LEAST_BLOCK = 2048  # if there are several: rows of each are more alike then
_MOST_CELLS = 2**23  # of a block: 32 MB, where a sparse table has very many columns
_MOST_NODES = 2**25  # half a gigabyte
_SKIPPED = (None, "passthrough")  # steps of a pipeline that do nothing
_METHODS = {
    "RandomForestClassifier": "predict_proba",
    "ExtraTreesClassifier": "predict_proba",
    "RandomForestRegressor": "predict",
    "ExtraTreesRegressor": "predict",
}


def quicken_forest(ask: Ask) -> Ask:
    """A quicker way to the same answers, if this is the method of a forest, or of a pipeline that ends in one."""
    return ask if _forest_of(ask) is None else QuickForest(ask)


class QuickForest:
    """A way of asking a forest, which notices if it is fitted anew, or gets other trees.

    What is written into the arrays of a fitted tree is not noticed: give such a forest to a new Explainer.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> forest = RandomForestClassifier(3, random_state=0).fit(X, ["no", "no", "yes", "yes"])
    >>> quick = quicken_forest(forest.predict_proba)
    >>> type(quick).__name__, bool((quick(X) == forest.predict_proba(X)).all())
    ('QuickForest', True)
    """

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.__self__: UserModel = getattr(ask, "__self__", None)  # as a method has it
        self.__qualname__: str = getattr(ask, "__qualname__", "")
        self._trees = _Trees((), (), None)

    def __reduce__(self) -> tuple[type[QuickForest], tuple[Ask]]:
        return QuickForest, (self.ask,)

    def __call__(self, table: UserTable) -> object:
        """What the model's own method returns."""
        forest = _forest_of(self.ask)
        trees = None if forest is None else self._trees_of(forest)
        if forest is None or trees is None:
            return self.ask(table)
        for _, step in getattr(owner(self.ask), "steps", [])[:-1]:
            if step not in _SKIPPED:
                table = step.transform(table)
        rows = forest._validate_X_predict(table)  # its own checks, warnings and errors
        answer = trees.answer(forest, rows)
        return answer if trees.agree(forest, rows, answer) else _ask_itself(forest, table)

    def about(self, matrix: np.ndarray) -> object | None:
        """The same of a matrix that a step of the pipeline gives; None: the forest itself must be asked.

        Of finite numbers without names, it has nothing to say beside its answer.
        """
        forest = _forest_of(self.ask)
        trees = None if forest is None else self._trees_of(forest)
        if forest is None or trees is None or hasattr(forest, "feature_names_in_"):
            return None
        with np.errstate(over="ignore"):
            rows = matrix.astype(np.float32)
        if rows.shape[1] != forest.n_features_in_ or not np.isfinite(rows).all():
            return None
        answer = trees.answer(forest, rows)
        return answer if trees.agree(forest, rows, answer) else None

    def _trees_of(self, forest: BaseForest) -> _Trees | None:
        """The trees that the forest has now, unless they cannot be followed here."""
        trees = self._trees  # another thread may replace them meanwhile
        if not trees.are_of(forest):
            trees = self._trees = _Trees.of(forest)
        return None if trees.planted is None or trees.differ else trees


@dataclass(slots=True, eq=False)
class _Trees:
    """The trees of a forest, as they grew and as they are followed."""

    grown: tuple[Tree, ...]
    facts: tuple[object, ...]  # about the forest that they are from
    planted: _core.Forest | None  # None: they cannot be followed here
    compared: int = 0  # rows about which the forest itself was asked as well
    differ: bool = False  # and said something else

    @classmethod
    def of(cls, forest: BaseForest) -> _Trees:
        grown, facts = _grown(forest), _facts(forest)
        try:
            forest._validate_X_predict  # noqa: B018  # private: a later version may lack it
            classes = forest.n_classes_ if _method(forest) == "predict_proba" else 1
            has_one_output = forest.n_outputs_ == 1 and all(tree.n_outputs == 1 for tree in grown)
            if not grown or not has_one_output or sum(tree.node_count for tree in grown) > _MOST_NODES:
                return cls(grown, facts, None)
            planted = _core.Forest(forest.n_features_in_, classes)
            for tree in grown:
                _plant(planted, tree)
            return cls(grown, facts, planted)
        except (AttributeError, TypeError, ValueError):  # not fitted, not as they were when this was written, or broken
            return cls(grown, facts, None)

    def are_of(self, forest: BaseForest) -> bool:
        now = _grown(forest)
        is_same = len(now) == len(self.grown) and all(map(operator.is_, now, self.grown))
        return is_same and self.facts == _facts(forest)

    def agree(self, forest: BaseForest, rows: Rows, answer: np.ndarray) -> bool:
        """Whether the forest itself says the same, as far as there are rows to be compared."""
        count = min(_ROWS_TO_COMPARE - self.compared, len(answer))
        if count > 0:
            chosen = np.linspace(0, len(answer) - 1, count).astype(np.int64)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the user has seen them; and these rows have no names
                own = _ask_itself(forest, rows[chosen])
            self.compared += count
            is_same = own.shape == answer[chosen].shape
            self.differ |= not is_same or not np.allclose(own, answer[chosen], rtol=_TOLERANCE, atol=_TOLERANCE)
        return not self.differ

    def answer(self, forest: BaseForest, rows: Rows) -> np.ndarray:
        """What the forest says, with as many threads as it has jobs."""
        from joblib import effective_n_jobs  # which the forest has loaded

        means = self.follow(rows, effective_n_jobs(forest.n_jobs))
        return means[:, 0] if _method(forest) == "predict" else means

    def follow(self, rows: Rows, jobs: int) -> np.ndarray:
        """The mean of what all trees say about each row: rows x classes."""
        forest, (count, features) = self.planted, rows.shape
        assert forest is not None
        size = max(1, min(_BLOCK, max(_LEAST_BLOCK, -(-count // 2)), _MOST_CELLS // features))
        starts = range(0, count, size)
        order = None
        if len(starts) > 1:
            # Rows that are alike go the same way for longer: those at a leaf of the first tree go together.
            leaves = _spread(lambda start: forest.find_leaves(_block(rows, start, size)), starts, jobs)
            order = np.argsort(np.concatenate(leaves), kind="stable")
            rows = rows[order]
        sums = np.zeros((count, forest.classes))
        _spread(lambda start: forest.add(_block(rows, start, size), sums[start : start + size]), starts, jobs)
        sums /= len(self.grown)
        if order is None:
            return sums
        answer = np.empty_like(sums)
        answer[order] = sums
        return answer


def _spread(work: Callable[[int], T], starts: range, jobs: int) -> list[T]:
    """What the work makes of the block at each start, with as many threads as the forest has jobs."""
    if jobs == 1 or len(starts) == 1:
        return list(map(work, starts))
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, starts))


def _block(rows: Rows, start: int, size: int) -> _core.Block:
    some = rows[start : start + size]
    return _core.Block(np.ascontiguousarray(some if isinstance(some, np.ndarray) else some.toarray()))


def _grown(forest: BaseForest) -> tuple[Tree, ...]:
    """Its trees; None: an estimator may do otherwise than follow its tree."""
    estimators, method = getattr(forest, "estimators_", None) or (), _method(forest)
    own = {
        kind for kind in set(map(type, estimators)) if is_own_class(kind, method)
    }  # mostly one: there are many trees
    return tuple(
        vars(estimator).get("tree_") if type(estimator) in own and method not in vars(estimator) else None
        for estimator in estimators
    )


def _facts(forest: BaseForest) -> tuple[object, ...]:
    """What else answers depend on; lists of classes are none of a forest that is followed."""
    return tuple(getattr(forest, name, None) for name in ("n_outputs_", "n_features_in_", "n_classes_"))


def _plant(forest: _core.Forest, tree: Tree) -> None:
    fields = tree.children_left, tree.children_right, tree.feature, tree.threshold, tree.missing_go_to_left
    forest.plant(*fields, tree.value[:, 0, :])  # values are shared with scikit-learn


def _forest_of(ask: Ask) -> BaseForest | None:
    """The forest whose method this is, or in which the pipeline ends that has it."""
    ensembles, pipelines = sys.modules.get("sklearn.ensemble"), sys.modules.get("sklearn.pipeline")
    model = owner(ask)
    if ensembles is None:  # then the model cannot be of its kind
        return None
    is_pipeline = pipelines is not None and type(model) is pipelines.Pipeline and model.steps
    forest = model.steps[-1][1] if is_pipeline else model
    name = type(forest).__name__
    if name not in _METHODS or type(forest) is not getattr(ensembles, name):
        return None
    own = _method(forest)
    is_asked = getattr(ask, "__name__", "") == own and own not in vars(model)
    return forest if is_asked and is_own(forest, own) else None


def _method(forest: BaseForest) -> str:
    return _METHODS[type(forest).__name__]


def _ask_itself(forest: BaseForest, table: UserTable) -> np.ndarray:
    answer: np.ndarray = getattr(forest, _method(forest))(table)
    return answer
