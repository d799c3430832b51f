"""`read_table`: a data file in any common format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from lormika.data.table import Table
from lormika.data.table_bytes import open_source
from lormika.errors import InputError


def read_table(
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    missing: Iterable[str] | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
) -> Table:
    r"""Read a table and detect its details; what cannot be detected is an error that says what to do.

    Parameters
    ----------
    path
        CSV, TSV or other delimited text (`.csv`, `.tsv`, `.tab`, `.txt`, `.dat`); records in JSON (`.json`) or one per
        line (`.jsonl`, `.ndjson`); Parquet (`.parquet`, `.pq`); Arrow (`.arrow`, `.feather`, `.ipc`). Each also
        compressed: `.gz`, `.bz2`, `.xz`, `.zst`. Parquet, Arrow and Zstandard need pyarrow.
    delimiter
        Separator of the columns of delimited text; by default detected among comma, semicolon, tab and bar.
    missing
        Texts that stand for a missing value, instead of the usual ones in delimited text (the empty field, `?`, `NA`,
        `NaN`, `null`, `None` …). The other formats have their own missing values, so the default there is none.
    encoding
        Encoding of text files; by default that of the byte order mark, otherwise UTF-8.
    columns
        Names of the columns to read, in this order; by default all.

    Returns
    -------
    Table
        The pandas frame and what was detected. `Table.notes` has a sentence about anything that might surprise.

    Notes
    -----
    Columns of delimited text are typed by all their values. Blanks around fields are stripped, unless quoted; a field
    with only blanks is empty. Line breaks inside quotes become a plain newline.

    - `true` and `false`, in any case: bool (object, where some are missing).
    - Whole numbers: int64, or float64 where some are missing. A column with numbers that would not be exact (beyond 64
      bits, or beyond 2⁵³ as float64) is text, with a note.
    - Numbers: float64. With the delimiter `;` a column may have decimal commas throughout, which is noted.
    - Numbers written with a leading zero, such as the postcode 01234, are codes: the column is text, with a note.
    - Anything else is text. A note names the culprit where most values are numbers.

    Dates stay text. JSON values keep their types; a key that a record lacks is a missing value, with a note.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age,postcode\n41,01234\n35,20095\n")
    ...     table = read_table(path)
    >>> table.frame["postcode"].tolist(), table.notes[0]
    (['01234', '20095'], "column 'postcode' is text because of the leading zero of '01234' in line 2")
    """
    if delimiter is not None and not isinstance(delimiter, str):
        raise InputError(f"delimiter={delimiter!r}: give a single character")
    tokens = None if missing is None else _tokens(missing)
    source = open_source(path)
    if source.format == "csv":
        from lormika.data.delimited import read_delimited

        return read_delimited(source, delimiter, tokens, encoding, columns)
    if delimiter is not None:
        raise InputError(f"{source.path}: a delimiter goes with delimited text only")
    if source.format in ("json", "jsonl"):
        from lormika.data.json_files import read_records

        return read_records(source, tokens or frozenset(), encoding, columns)
    if encoding is not None:
        raise InputError(f"{source.path}: an encoding goes with text only")
    from lormika.data.arrow_files import read_arrow

    return read_arrow(source, tokens or frozenset(), columns)


def _tokens(missing: Iterable[str]) -> frozenset[str]:
    tokens = [missing] if isinstance(missing, str) else list(missing)
    if isinstance(missing, str) or not all(isinstance(token, str) for token in tokens):
        raise InputError(f"missing={missing!r}: give a list of texts, for instance ['', '-9']")
    return frozenset(token.strip(" \t") for token in tokens)
