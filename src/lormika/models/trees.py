"""Decision trees from files: compiled code follows their positions unchecked, so they are checked here.

A child outside its tree, or a feature outside the table, reads foreign memory or crashes the interpreter; a child
before its parent makes an endless loop. scikit-learn writes parents before children.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError

if TYPE_CHECKING:
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
    from sklearn.tree._tree import Tree

    from lormika.types import UserModel

_LEAF = -1


def check_trees(model: UserModel, path: Path) -> None:
    """Refuse a model with a tree whose positions point outside."""
    if not all(_is_sound(tree, n_features) for tree, n_features in _trees(model)):
        raise InputError(f"{path} holds a decision tree with positions outside of it: it is broken or tampered with")


def _is_sound(tree: Tree | TreePredictor, n_features: int) -> bool:
    if hasattr(tree, "node_count"):  # a Tree: of single ones, forests and gradient boosting
        if not 0 < tree.node_count <= tree.capacity:
            return False
        nodes, left, right, feature = tree.__getstate__()["nodes"], "left_child", "right_child", "feature"
        inner = nodes[left] != _LEAF
    else:  # a TreePredictor: of histogram-based gradient boosting
        nodes, left, right, feature = tree.nodes, "left", "right", "feature_idx"
        inner = nodes["is_leaf"] == 0
        categories = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
        if not len(nodes) or (categories >= len(tree.raw_left_cat_bitsets)).any():
            return False
    position, chosen = np.flatnonzero(inner), nodes[inner]
    return all(
        bool((chosen[child] > position).all() and (chosen[child] < len(nodes)).all()) for child in (left, right)
    ) and bool(((chosen[feature] >= 0) & (chosen[feature] < n_features)).all())


def _trees(model: UserModel) -> Iterator[tuple[Tree | TreePredictor, int]]:
    """All trees in a model, each with the number of columns of the tables it is given."""
    from sklearn.ensemble._forest import BaseForest
    from sklearn.ensemble._gb import BaseGradientBoosting
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
    from sklearn.tree._tree import Tree

    # A part of the model; columns of what a tree there is given; columns of what an estimator there is given unchecked.
    waiting: list[tuple[object, int, int | None]] = [(model, 0, None)]
    seen = set()
    while waiting:
        part, columns, inherited = waiting.pop()
        if (id(part), columns, inherited) in seen:
            continue
        seen.add((id(part), columns, inherited))
        if isinstance(part, Tree | TreePredictor):
            yield part, columns
        elif isinstance(part, dict):
            waiting.extend((value, columns, inherited) for value in part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend((value, columns, inherited) for value in part)
        elif isinstance(part, np.ndarray):
            values = part.ravel().tolist() if part.dtype.hasobject else ()
            waiting.extend((value, columns, inherited) for value in values)
        elif hasattr(part, "__dict__") and not isinstance(part, type):
            columns = getattr(part, "n_features_in_", 0) if inherited is None else inherited
            # These check the table once, and hand it on to their trees.
            inherited = columns if isinstance(part, BaseForest | BaseGradientBoosting) else None
            waiting.extend((value, columns, inherited) for value in vars(part).values())
