"""From bytes to text: byte order marks, encodings, and where decoding fails."""

from __future__ import annotations

import codecs

from lormika.data.table_bytes import Source
from lormika.errors import InputError

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(source: Source, encoding: str | None = None) -> tuple[str, str]:
    """The text, and its encoding: that of a byte order mark, otherwise UTF-8."""
    data = source.data
    used = encoding or next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(used)
    except LookupError:
        raise InputError(f"encoding={encoding!r} is unknown; try 'utf-8', 'cp1252' or 'latin-1'") from None
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(used, "replace")
        raise source.error(
            f"byte 0x{data[error.start]:02X} at position {error.start} is not {used.upper()}; "
            "say which encoding it is, for instance encoding='cp1252' (--encoding cp1252)",
            line=line_of(before, len(before)),
        ) from None
    text = text.removeprefix("\ufeff")
    nul = text.find("\0")
    if nul >= 0:
        raise source.error(
            "a NUL character: the file is binary, damaged, or in another encoding (encoding='utf-16'?)",
            line=line_of(text, nul),
        )
    if not text.strip():
        raise source.error("the file holds nothing but blanks")
    return text, used


def line_of(text: str, position: int) -> int:
    r"""Line of a position, as an editor counts.

    >>> line_of("a\r\nb\rc\nd", 7)
    4
    """
    before = text[:position]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
