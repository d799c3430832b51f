"""From a path to the bytes of a table: suffix, compression, and content that does not match the name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import ModuleType

from lormika.errors import InputError

FORMATS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow"),
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}

_MAGIC = (  # first bytes, what they are of, the format or compression this is here
    (b"\x1f\x8b", "gzip-compressed data", "gzip"),
    (b"BZh", "bzip2-compressed data", "bz2"),
    (b"\xfd7zXZ\x00", "xz-compressed data", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data", "zstd"),
    (b"PAR1", "a Parquet file", "parquet"),
    (b"ARROW1", "an Arrow file", "arrow"),
    (b"\xff\xff\xff\xff", "an Arrow stream", "arrow"),
    (b"FEA1", "a Feather file of the old version 1", None),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", None),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook", None),
    (b"%PDF-", "a PDF document", None),
    (b"SQLite format 3\x00", "an SQLite database", None),
    (b"\x80\x02", "a Python pickle", None),
    (b"\x80\x03", "a Python pickle", None),
    (b"\x80\x04", "a Python pickle", None),
    (b"\x80\x05", "a Python pickle", None),
    (b"\x89HDF\r\n", "an HDF5 file", None),
)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The bytes of a file, decompressed, and the format that its name promises."""

    path: Path
    format: str
    compression: str | None
    data: bytes

    def error(self, message: str, line: int | None = None) -> InputError:
        """Make an error that names the file, and the line as an editor counts lines."""
        return InputError(f"{self.path}, line {line}: {message}" if line else f"{self.path}: {message}")


def open_source(path: str | PathLike[str]) -> Source:
    """Read a file whose name and content agree."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file")
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    kind, compression = _promised(path)
    data = path.read_bytes()
    if not data:
        raise InputError(f"{path} is empty")
    content = _recognise(data)
    if compression is not None:
        if content is None or content[1] != compression:
            raise InputError(
                f"{path} is not {compression}-compressed, though its name ends in {path.suffix}: "
                f"it {'seems to be ' + content[0] if content else 'begins with ' + repr(data[:12])}; "
                "rename or replace it"
            )
        data = _decompress(path, compression, data)
        if not data:
            raise InputError(f"{path} is empty once decompressed")
        content = _recognise(data)
    _check_content(path, kind, content, data)
    return Source(path, kind, compression, data)


def pyarrow() -> ModuleType:
    """Import pyarrow, which is optional."""
    try:
        import pyarrow
    except ImportError:
        raise InputError("this file needs pyarrow: pip install 'lormika[files]'") from None
    module: ModuleType = pyarrow
    return module


def _promised(path: Path) -> tuple[str, str | None]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression is not None:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        suffixes_read = ", ".join(FORMATS)
        advice = "save the sheet as CSV; " if suffix in (".xls", ".xlsx", ".ods") else ""
        raise InputError(
            f"{path}: no tables are read from files named {'*' + suffix if suffix else 'without a suffix'}; "
            f"{advice}these are: {suffixes_read}, each also with {', '.join(COMPRESSIONS)}"
        )
    return FORMATS[suffix], compression


def _recognise(data: bytes) -> tuple[str, str | None] | None:
    for first, words, kind in _MAGIC:
        if data.startswith(first):
            return words, kind
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith((b"<!doctype", b"<html", b"<?xml", b"<svg")):
        return "a web page or XML", None
    return ("JSON", "json") if head.startswith((b'{"', b'[{"', b"[\n", b"[{", b"{\n")) else None


def _check_content(path: Path, kind: str, content: tuple[str, str | None] | None, data: bytes) -> None:
    if kind in ("parquet", "arrow"):
        if content is None or content[1] != kind:
            what = content[0] if content else f"something that begins with {data[:12]!r}"
            raise InputError(f"{path} is named like a {kind.capitalize()} file, but holds {what}; rename or replace it")
    elif content is not None and not (kind.startswith("json") and content[1] == "json"):
        advice = "save the sheet as CSV, or unpack the archive" if "Excel" in content[0] else "rename or replace it"
        raise InputError(f"{path} should be text, but holds {content[0]}; {advice}")


def _decompress(path: Path, compression: str, data: bytes) -> bytes:
    try:
        if compression == "zstd":
            arrow = pyarrow()
            unpacked: bytes = arrow.input_stream(arrow.py_buffer(data), compression="zstd").read()
            return unpacked
        return {"gzip": gzip, "bz2": bz2, "xz": lzma}[compression].decompress(data)  # type: ignore[no-any-return]
    except InputError:
        raise
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{path} is damaged or cut off, and cannot be decompressed: {error}") from error
