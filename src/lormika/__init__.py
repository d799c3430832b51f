"""Explain one prediction with the k best if-then rules around it."""

from lormika.actions import GroupAction, GroupActions
from lormika.case import Case
from lormika.constraints import Constraints
from lormika.data import datasets
from lormika.errors import InputError, ModelError
from lormika.explainer import Explainer
from lormika.explanation import Explanation, Failure
from lormika.label_entries import FeatureGroup, FeatureLabel
from lormika.labels import Labels
from lormika.mine import mine_rules
from lormika.options import SearchOptions, Settings
from lormika.rule import Category, Check, Counts, Equals, Interval, Missing, Rule
from lormika.rules import Rules
from lormika.serving import serve
from lormika.stages.notes import Note
from lormika.summaries import Effect, Incomplete
from lormika.version import __version__

__all__ = [
    "Case",
    "Category",
    "Check",
    "Constraints",
    "Counts",
    "Effect",
    "Equals",
    "Explainer",
    "Explanation",
    "Failure",
    "FeatureGroup",
    "FeatureLabel",
    "GroupAction",
    "GroupActions",
    "Incomplete",
    "InputError",
    "Interval",
    "Labels",
    "Missing",
    "ModelError",
    "Note",
    "Rule",
    "Rules",
    "SearchOptions",
    "Settings",
    "__version__",
    "datasets",
    "mine_rules",
    "serve",
]
