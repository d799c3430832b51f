"""Owner: the model whose method answers, and whether that method is as its library wrote it."""

from __future__ import annotations

import sys

from lormika.models.calls import Ask
from lormika.types import UserModel

_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def owner(ask: Ask) -> UserModel:
    """The model that this is a method of; None for a function. Of a search for parameters, the best model it found."""
    model: UserModel = getattr(ask, "__self__", None)
    selection, name = sys.modules.get("sklearn.model_selection"), type(model).__name__
    if selection is None or name not in _SEARCHES or type(model) is not vars(selection).get(name):
        return model
    best = vars(model).get("best_estimator_")
    return model if best is None or not is_own(model, getattr(ask, "__name__", "")) else best


def is_own(part: UserModel, method: str) -> bool:
    """Whether a method of an estimator is as scikit-learn wrote it.

    What somebody derived from its class, put into the object, or into the class itself, may do otherwise.
    """
    return is_own_class(type(part), method) and method not in vars(part)


def is_own_class(kind: type, method: str) -> bool:
    """The same of the method of all objects of a class, but for what is put into one of them."""
    in_class = getattr(kind, method, None)
    modules = (kind.__module__, getattr(in_class, "__module__", ""))
    return all(module.startswith("sklearn.") for module in modules)
