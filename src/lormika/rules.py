"""Rules: a list of them that says whether it is complete."""

from __future__ import annotations

from collections.abc import Iterable

from lormika.rule import Rule
from lormika.summaries import Incomplete

_WIDTH = 110


class Rules(list[Rule]):
    """The best rules of a table, best first; if the search was stopped, those that it had found.

    >>> from lormika import mine_rules
    >>> mine_rules({"sky": ["sun", "sun", "rain", "rain"]}, ["out", "out", "in", "in"], k=2, bins=2)
    Best rules by leverage (4 rows)
    rule              confidence  coverage  lift  leverage  p-value
    sky = rain ⇒ in  100% vs 50%    50%: 2  2.00     0.250  1.7e-01
    sky = sun ⇒ out  100% vs 50%    50%: 2  2.00     0.250  1.7e-01
    >>> Rules([]).complete
    True
    >>> stopped = Rules([], Incomplete("time", 1.0, "leverage", 0.041))
    >>> stopped.complete, stopped.open_bound
    (False, 0.041)
    """

    def __init__(
        self, rules: Iterable[Rule] = (), incomplete: Incomplete | None = None, ranked_by: str = "leverage"
    ) -> None:
        super().__init__(rules)
        self.incomplete = incomplete
        self.ranked_by = ranked_by

    def __repr__(self) -> str:
        """As a table, with the measures of each."""
        from lormika.views.rule_table import RuleList, to_text

        return to_text(RuleList(tuple(self), {"objective": self.ranked_by}, incomplete=self.incomplete), _WIDTH)

    @property
    def complete(self) -> bool:
        """Whether these are exactly the k best rules."""
        return self.incomplete is None

    @property
    def open_bound(self) -> float | None:
        """No rule is missing whose score is better than this; None if the list is complete."""
        return None if self.incomplete is None else self.incomplete.open_bound
