"""Write the tables of columns in batch.md, as the code declares them: python docs/columns.py."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lormika.jobs import INSTANCES, RULES
from lormika.views.column import Column, ListOf, StructOf
from lormika.views.rule_structs import CONDITION, EDIT, VALUE

PAGE = Path(__file__).parent / "batch.md"
NAMES = {CONDITION: "condition", EDIT: "change", VALUE: "value"}


def fill(page: str) -> str:
    """The page with the tables that belong between its marks."""
    for name, columns in (("rules", RULES), ("instances", INSTANCES)):
        mark, end = f"<!-- columns of {name}: docs/columns.py writes them -->", "<!-- end of columns -->"
        pattern = re.compile(f"{re.escape(mark)}.*?{re.escape(end)}", re.DOTALL)
        table = f"{mark}\n\n{to_markdown(columns.values())}\n\n{end}"
        page, count = pattern.subn(lambda _, table=table: table, page)
        if count != 1:
            raise ValueError(f"batch.md has {count} places for the columns of {name}, not one")
    return page


def to_markdown(columns: Iterable[Column[Any]]) -> str:
    """One line for each column."""
    lines = [f"| `{column.name}` | {_type(column)} | {column.about} |" for column in columns]
    return "\n".join(["| column | type | |", "|---|---|---|", *lines])


def _type(column: Column[Any]) -> str:
    """Its type; structs by the name that the page gives them."""
    match column.type:
        case ListOf(StructOf() as struct):
            return f"list of {NAMES[struct]} structs"
        case ListOf(of):
            return f"list of {of}"
        case _:
            return column.file_type


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
