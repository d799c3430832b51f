"""Find exactly the k best if-then rules of a table."""

from lormika.errors import InputError
from lormika.rule import Category, Counts, Equals, Interval, Missing, Rule
from lormika.search import mine_rules
from lormika.version import __version__

__all__ = ["Category", "Counts", "Equals", "InputError", "Interval", "Missing", "Rule", "__version__", "mine_rules"]
