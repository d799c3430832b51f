"""An explanation, or the rules of a table, as a file, by the suffix of its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from lormika.errors import InputError
from lormika.views import frame, html, plot, rule_table, text
from lormika.views.payload import FORMAT, Payload
from lormika.writing import whole_file

_TEXT_WIDTH = 110


def save(payload: Payload, path: Path) -> Path:
    """Write the file as a whole, or not at all."""
    write = _writer(payload["format"], path)
    with whole_file(path) as beside:
        write(payload, beside)
    return path


def check_path(path: Path, kind: str = FORMAT) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    _writer(kind, path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def _writer(kind: str, path: Path) -> Callable[[Payload, Path], None]:
    writers = _WRITERS if kind == FORMAT else _RULE_WRITERS
    if path.suffix.lower() not in writers:
        raise InputError(f"cannot save as {path.suffix or path.name!r}: choose one of {', '.join(writers)}")
    return writers[path.suffix.lower()]


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


def _write_rule_table(payload: Payload, path: Path) -> None:
    path.write_text(rule_table.to_text(payload, _TEXT_WIDTH) + "\n", encoding="utf-8")


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

_RULE_WRITERS: dict[str, Callable[[Payload, Path], None]] = {
    ".json": _write_json,
    ".csv": frame.to_csv,
    ".parquet": _write_parquet,
    ".txt": _write_rule_table,
}
