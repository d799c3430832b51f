"""Explain one prediction with the k best if-then rules around it."""

from lormika import datasets
from lormika.errors import InputError, ModelError
from lormika.explainer import Explainer
from lormika.explanation import Explanation, Failure
from lormika.rule import Category, Counts, Equals, Interval, Missing, Rule
from lormika.search import mine_rules
from lormika.version import __version__

__all__ = [
    "Category",
    "Counts",
    "Equals",
    "Explainer",
    "Explanation",
    "Failure",
    "InputError",
    "Interval",
    "Missing",
    "ModelError",
    "Rule",
    "__version__",
    "datasets",
    "mine_rules",
]
