"""Group actions: the few changes that together turn most of the rows that the model puts into a class."""

from lormika.actions.finding import Limits, Wish, find_actions, learn_moves
from lormika.actions.moves import Move
from lormika.actions.result import Change, GroupAction, GroupActions
from lormika.actions.rows import AskedRows, ask_rows

__all__ = [
    "AskedRows",
    "Change",
    "GroupAction",
    "GroupActions",
    "Limits",
    "Move",
    "Wish",
    "ask_rows",
    "find_actions",
    "learn_moves",
]
