"""An explanation as a file, by the suffix of its name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from lormika.errors import InputError
from lormika.payload import Payload
from lormika.views import frame, html, plot, text

_TEXT_WIDTH = 110


def save(payload: Payload, path: Path) -> Path:
    """Write beside, then rename: an existing file is replaced as a whole or stays as it is."""
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise InputError(f"cannot save as {path.suffix or path.name!r}: choose one of {', '.join(_WRITERS)}")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(payload, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def _write_json(payload: Payload, path: Path) -> None:
    path.write_text(json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2) + "\n", encoding="utf-8")


def _write_picture(kind: str) -> Callable[[Payload, Path], None]:
    return lambda payload, path: plot.save(plot.matrix(payload), path, kind)


def _write_parquet(payload: Payload, path: Path) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError("saving as .parquet needs pyarrow: pip install pyarrow") from None
    frame.to_frame(payload).to_parquet(path, index=False)


def _write_text(payload: Payload, path: Path) -> None:
    path.write_text(text.to_text(payload, _TEXT_WIDTH) + "\n", encoding="utf-8")


def _write_html(payload: Payload, path: Path) -> None:
    path.write_text(html.to_report(payload), encoding="utf-8")


_WRITERS: dict[str, Callable[[Payload, Path], None]] = {
    ".html": _write_html,
    ".json": _write_json,
    ".csv": frame.to_csv,
    ".parquet": _write_parquet,
    ".txt": _write_text,
    ".png": _write_picture("png"),
    ".svg": _write_picture("svg"),
    ".pdf": _write_picture("pdf"),
}
