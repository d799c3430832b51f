"""Rules: a list of them that says whether it is complete."""

from __future__ import annotations

from collections.abc import Iterable

from lormika.rule import Rule
from lormika.summaries import Incomplete


class Rules(list[Rule]):
    """The best rules of a table, best first; if the search was stopped, those that it had found.

    >>> Rules([]).complete
    True
    >>> stopped = Rules([], Incomplete("time", 1.0, "leverage", 0.041))
    >>> stopped.complete, stopped.open_bound
    (False, 0.041)
    """

    def __init__(self, rules: Iterable[Rule] = (), incomplete: Incomplete | None = None) -> None:
        super().__init__(rules)
        self.incomplete = incomplete

    @property
    def complete(self) -> bool:
        """Whether these are exactly the k best rules."""
        return self.incomplete is None

    @property
    def open_bound(self) -> float | None:
        """No rule is missing whose score is better than this; None if the list is complete."""
        return None if self.incomplete is None else self.incomplete.open_bound
