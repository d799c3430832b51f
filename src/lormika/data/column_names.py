"""Names of columns: none missing, none repeated, and the requested ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lormika.data.table_bytes import Source
from lormika.errors import InputError, listing


def check_names(source: Source, names: Sequence[str], line: int | None = None) -> None:
    """Refuse empty and repeated names."""
    if "" in names:
        raise source.error(f"column {names.index('') + 1} has no name; give it one", line=line)
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        first, second, *others = (i + 1 for i, name in enumerate(names) if name == repeated)
        which = f"{first} and {second} are both" if not others else f"{first}, {second} and {len(others):,} more are"
        raise source.error(f"columns {which} named {repeated!r}; give each a name of its own", line=line)


def pick_columns(source: Source, names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """The requested columns, in that order; by default all."""
    if columns is None:
        return list(names)
    if isinstance(columns, str) or not columns:
        raise InputError(f"columns={columns!r}: give a list of names")
    for name in columns:
        if name not in names:
            raise source.error(f"there is no column {name!r}; there are {listing(names)}")
    check_names(source, list(columns))
    return list(columns)
