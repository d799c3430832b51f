"""Rules as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.rule import Rule
from lormika.views.rule_columns import FRAME

if TYPE_CHECKING:
    import pandas as pd


def to_frame(rules: Sequence[Rule]) -> pd.DataFrame:
    """One row per rule, in their order."""
    import pandas as pd

    # Column by column, since pandas would turn whole numbers beside missing ones into fractions.
    columns = {column.name: pd.Series(list(map(column.of, rules)), dtype=column.frame_type) for column in FRAME}
    return pd.DataFrame(columns)


def to_csv(rules: Sequence[Rule], path: Path) -> None:
    """Write the table to a file in which a spreadsheet finds no formula to run.

    Names and categories come from data: text that would begin a formula is written after an apostrophe.
    """
    import pandas as pd

    frame = to_frame(rules)
    for column in FRAME:
        if column.frame_type == "object":
            frame[column.name] = pd.Series(list(map(_harmless, frame[column.name])), dtype="object")
    frame.to_csv(path, index=False, lineterminator="\r\n")  # otherwise a carriage return in a text begins a new row


def _harmless(value: object) -> object:
    """Text that no spreadsheet takes for a formula; numbers as they are.

    >>> _harmless("=1+1"), _harmless(" @x"), _harmless("a=1"), _harmless(-1)
    ("'=1+1", "' @x", 'a=1', -1)
    """
    if not isinstance(value, str):
        return value
    visible = "".join(filter(str.isprintable, value)).lstrip()
    return f"'{value}" if visible.startswith(_SIGNS) or value.startswith(_CONTROLS) else value


_SIGNS = tuple("=+-@＝＋－＠")  # the last four are full-width
_CONTROLS = ("\t", "\r", "\n")
