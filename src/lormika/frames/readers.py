"""The user's table libraries: reading columns, and building tables of the same kind again.

Whatever the library, a column is read as float64 numbers (missing: NaN) or as plain Python scalars (missing: None).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import narwhals.stable.v2 as nw
import numpy as np

from lormika.errors import InputError, listing, quote
from lormika.frames import of_numpy, restore
from lormika.frames.restorer import Assembler, Coded, Restorer
from lormika.frames.values import Scalar, is_list, is_missing, is_too_large, plain
from lormika.types import UserColumn, UserTable, UserValue


def read_distinct(read: Callable[[], Coded]) -> tuple[list[Scalar], np.ndarray] | tuple[None, None]:
    """Different values of a column, and where each row's stands; nothing, if that cannot be done in the usual way."""
    try:
        values, codes = read()
    except Exception:  # what a library cannot compare, or count
        return None, None
    codes = np.asarray(codes).astype(np.intp, copy=False)
    distinct = [plain(value) for value in values]
    usual = all(type(value) in (str, int, float, bool) and not is_too_large(value) for value in distinct)
    if not usual or any(is_missing(value) for value in distinct) or len(set(distinct)) < len(distinct):
        return None, None
    return distinct, codes


@dataclass(frozen=True, slots=True, eq=False)
class ColumnReader:
    """One column of a table."""

    name: str
    number_type: np.dtype | None  # how the column stores numbers; None: it holds categories
    declared: tuple[Scalar, ...] | None  # category list of the column's type
    read_numbers: Callable[[], np.ndarray] | None  # None: only one value at a time
    read_objects: Callable[[], Iterable[object]]
    # Different values, and where each row's stands, found out only once; None: only from objects.
    read_coded: Callable[[], Coded] | None
    restorer: Callable[[tuple[Scalar, ...] | None], Restorer]  # of numbers (None) or of these categories

    def numbers(self, *, may_lack: bool = True) -> np.ndarray:
        """Values as float64, with missing ones as NaN; a message says whether a value may be missing."""
        if self.read_numbers is None:
            values = enumerate(self.objects())
            advice = "give a number, or a missing value" if may_lack else "give a number"
            return np.array([np.nan if value is None else self._as_number(row, value, advice) for row, value in values])
        try:
            return np.asarray(self.read_numbers(), dtype=np.float64)
        except Exception as error:  # Arrow refuses integers that are not exact as float64, with an error of its own
            raise InputError(f"column {self.name!r} cannot be read as numbers: {error}") from error

    def objects(self) -> list[Scalar | None]:
        """Values as plain Python scalars, with missing ones as None."""
        return [self._as_scalar(row, value) for row, value in enumerate(self.read_objects())]

    def coded(self) -> tuple[list[Scalar], np.ndarray]:
        """Different values as plain Python scalars, and the position of each row's among them; missing: -1."""
        values, codes = (None, None) if self.read_coded is None else read_distinct(self.read_coded)
        if values is None or codes is None:  # value by value, which also finds what is wrong with one
            places: dict[tuple[type, Scalar], int] = {}  # 1 and True are equal, and not the same
            objects = ((type(value), value) for value in self.objects())
            rows = [-1 if key[1] is None else places.setdefault((key[0], key[1]), len(places)) for key in objects]
            return [value for _, value in places], np.array(rows, dtype=np.intp)
        return values, codes

    def _as_number(self, row: int, value: Scalar, advice: str) -> float:
        if isinstance(value, str):
            raise InputError(f"column {self.name!r}, row {row}: {quote(value)} is not a number, but text: {advice}")
        return float(value)

    def _as_scalar(self, row: int, value: object) -> Scalar | None:
        value = plain(value)
        if is_missing(value):
            return None
        if is_too_large(value):
            raise InputError(f"column {self.name!r}, row {row}: {quote(value)} is too large; make it a string")
        if isinstance(value, str | int | float | bool):
            return value
        raise InputError(
            f"column {self.name!r}, row {row}: a value of type {type(value).__name__} is neither number nor category; "
            "turn the column into strings or numbers, or drop it"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TableReader:
    """A table as its columns."""

    n_rows: int
    columns: dict[str, ColumnReader]
    assembler: Assembler

    def __getitem__(self, name: str) -> ColumnReader:
        if name not in self.columns:
            raise InputError(f"column {name!r} is missing; the table has {listing(self.columns)}")
        return self.columns[name]


def read(table: UserTable, feature_names: Sequence[str] | None = None) -> TableReader:
    """Read a pandas, polars or pyarrow frame, a mapping of columns, or a 2-D array."""
    if isinstance(table, np.ndarray):
        return _read_array(table, feature_names)
    if feature_names is not None:
        raise InputError(f"feature_names go with a 2-D array, not with a {type(table).__name__}")
    if isinstance(table, Mapping):
        return _read_mapping(table)
    frame = _open(table)
    names = [str(name) for name in frame.columns]
    columns = {name: _frame_column(name, frame.get_column(key)) for name, key in zip(names, frame.columns, strict=True)}
    return TableReader(len(frame), columns, restore.assembler(table))


def count_rows(table: UserTable) -> int:
    """Rows of a table of any library.

    >>> count_rows(np.zeros((3, 2))), count_rows({"a": [1, 2]})
    (3, 2)
    """
    return len(next(iter(table.values()), ())) if isinstance(table, Mapping) else len(table)


def take(table: UserTable, rows: range | np.ndarray) -> UserTable:
    """Some rows of a table of any library, by number."""
    numbers = np.asarray(rows, dtype=np.intp)
    if isinstance(table, Mapping):
        columns = {name: list(column) for name, column in table.items()}
        return {name: [column[i] for i in numbers] for name, column in columns.items()}
    return table[numbers] if isinstance(table, np.ndarray) else _open(table)[numbers, :].to_native()


def with_columns(table: UserTable, columns: Mapping[str, np.ndarray]) -> UserTable:
    """The same table with other values in some columns."""
    if isinstance(table, np.ndarray):
        changed = table.copy()
        for name, values in columns.items():
            changed[:, int(name)] = values
        return changed
    frame = _open(table)
    series = [nw.new_series(name, values, backend=frame.implementation) for name, values in columns.items()]
    return frame.with_columns(*series).to_native()


def one_row(table: UserTable) -> dict[str, list[object]]:
    """Columns of a frame of one row: quicker than reading it column by column."""
    is_pandas = type(table).__module__.partition(".")[0] == "pandas" and table.ndim == 2  # whose own way is quicker
    frame = None if is_pandas else _open(table)
    names = [str(name) for name in (table.columns.tolist() if frame is None else frame.columns)]
    _check_names(names)
    n_rows = len(table if frame is None else frame)
    if n_rows != 1:
        raise InputError(f"x has {n_rows} rows: explain takes one instance; explain_many takes many")
    if frame is None:
        series = table.iloc[0]
        # A row of numbers of several types has one that holds them all, and large ones are rounded.
        is_exact = series.dtype == object or (table.dtypes == series.dtype).all()
        row = series.tolist() if is_exact else [column.array[0] for _, column in table.items()]
    else:  # Arrow cannot take a row of all its types
        row = frame.rows()[0] if frame.implementation.is_pyarrow() else frame.row(0)
    return {name: [value] for name, value in zip(names, row, strict=True)}


def _open(table: UserTable) -> nw.DataFrame[UserTable]:
    try:
        frame: nw.DataFrame[UserTable] = nw.from_native(table, eager_only=True)
    except TypeError:
        raise InputError(
            f"cannot read a table from {type(table).__name__}: give a pandas, polars or pyarrow frame "
            "(a lazy one collected), or a 2-D numpy array"
        ) from None
    except Exception as error:  # narwhals refuses duplicate names with an error of the library's own
        _check_names([str(name) for name in getattr(table, "column_names", getattr(table, "columns", []))])
        raise InputError(f"cannot read the table: {error}") from error
    _check_names([str(name) for name in frame.columns])
    return frame


def _check_names(names: Sequence[str]) -> None:
    if len(set(names)) == len(names):
        return
    repeated = [name for name, count in Counter(names).items() if count > 1]
    raise InputError(f"duplicate column {repeated[0]!r}: give each column a name of its own")


def _read_mapping(table: Mapping[object, UserColumn]) -> TableReader:
    _check_names([str(name) for name in table])
    columns, lengths = {}, set()
    for name, column in table.items():
        if not is_list(column):
            raise InputError(f"column {str(name)!r} is a single value; give a list of values")
        values = list(column)
        columns[str(name)] = _object_column(str(name), values)
        lengths.add(len(values))
    if len(lengths) > 1:
        raise InputError("the columns have different lengths")
    return TableReader(lengths.pop() if lengths else 0, columns, of_numpy.no_table)


def _read_array(table: np.ndarray, feature_names: Sequence[str] | None) -> TableReader:
    if isinstance(table, np.ma.MaskedArray):
        raise InputError("the array is masked; fill it, with NaN for missing values")
    if table.ndim != 2:
        raise InputError(f"the array has {table.ndim} dimension(s); a table needs 2 (rows, features)")
    if feature_names is not None and not is_list(feature_names):
        raise InputError(f"feature_names={quote(feature_names)}: give a list of names")
    names = [f"x{i}" for i in range(table.shape[1])] if feature_names is None else [str(n) for n in feature_names]
    if len(names) != table.shape[1]:
        raise InputError(f"{len(names)} feature_names for an array of {table.shape[1]} columns")
    _check_names(names)
    table = np.asarray(table)  # a matrix would not give 1-D columns
    columns = {name: _array_column(name, table[:, i]) for i, name in enumerate(names)}
    return TableReader(len(table), columns, of_numpy.ArrayAssembler(table.dtype))


def _array_column(name: str, values: np.ndarray) -> ColumnReader:
    if values.dtype.kind not in "biufOUS":
        raise _bad_type(name, values.dtype)
    if values.dtype.kind == "O":
        return _object_column(name, values.tolist())
    return ColumnReader(
        name,
        number_type=values.dtype if values.dtype.kind in "iuf" else None,
        declared=(False, True) if values.dtype.kind == "b" else None,
        read_numbers=(lambda: values) if values.dtype.kind in "iuf" else None,
        read_objects=values.tolist,
        read_coded=cache(partial(of_numpy.coded, values)),
        restorer=lambda categories: of_numpy.array_column(values.dtype, categories),
    )


def _object_column(name: str, values: list[UserValue]) -> ColumnReader:
    def all_are(*kinds: type) -> bool:
        return bool(present) and all(isinstance(value, kinds) and not isinstance(value, bool) for value in present)

    present = [value for value in values if not is_missing(value)]
    is_integer = all_are(int, np.integer)
    is_number = all_are(int, float, np.integer, np.floating)
    return ColumnReader(
        name,
        number_type=np.dtype(np.int64 if is_integer else np.float64) if is_number else None,
        declared=None,
        read_numbers=None,
        read_objects=lambda: values,
        read_coded=None,
        restorer=lambda categories: of_numpy.object_column(categories, is_integer),
    )


def _frame_column(name: str, series: nw.Series[UserColumn]) -> ColumnReader:
    dtype, native = series.dtype, series.to_native()
    number_type = _number_type(dtype)
    if number_type is None and not isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean | nw.Object):
        raise _bad_type(name, native.type if hasattr(native, "type") else native.dtype)
    declared: tuple[Scalar, ...] | None = None
    if isinstance(dtype, nw.Boolean):
        declared = (False, True)
    elif isinstance(dtype, nw.Categorical | nw.Enum):
        declared = restore.declared_categories(native)
    return ColumnReader(
        name,
        number_type=number_type,
        declared=declared,
        read_numbers=None if number_type is None else lambda: series.cast(nw.Float64).to_numpy(),
        read_objects=series.to_list,
        read_coded=cache(partial(restore.coded, native)),
        restorer=lambda categories: restore.frame_column(native, categories),
    )


def _number_type(dtype: nw.dtypes.DType) -> np.dtype | None:
    if not dtype.is_integer() and not dtype.is_float():
        return None
    name = str(dtype).lower()
    return np.dtype({"int128": "int64", "uint128": "uint64"}.get(name, name))  # numpy has no wider ones


def _bad_type(name: str, dtype: object) -> InputError:
    return InputError(
        f"column {name!r} has the type {dtype}: turn it into plain numbers (for instance days since a date), "
        "into strings, or drop it"
    )
