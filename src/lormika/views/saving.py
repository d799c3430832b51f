"""An explanation, or the rules of a table, as a file, by the suffix of its name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lormika.errors import InputError
from lormika.rule import Rule
from lormika.views import frame, html, pdf, plot, rule_table, text
from lormika.views.letter import Letter, encode_page, encode_record
from lormika.views.payload import dump_explanation, dump_rules
from lormika.views.rule_table import RuleList
from lormika.writing import whole_file

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.types import JsonObject

_TEXT_WIDTH = 110

_T = TypeVar("_T")
_Writer = Callable[[_T, Path], None]


def save(explanation: Explanation, path: Path) -> Path:
    """Write the file completely or not at all."""
    return _save(explanation, path, _WRITERS)


def save_rules(rules: RuleList, path: Path) -> Path:
    """Write the file completely or not at all."""
    return _save(rules, path, _RULE_WRITERS)


def check_path(path: Path) -> None:
    """Refuse a file that an explanation could not be written to, before any work is done for it."""
    _check(path, _WRITERS)


def check_rules_path(path: Path) -> None:
    """Refuse a file that rules could not be written to, before any work is done for them."""
    _check(path, _RULE_WRITERS)


def save_letter(letter: Letter, path: Path) -> Path:
    """Write the file completely or not at all."""
    return _save(letter, path, _LETTER_WRITERS)


def check_letter_path(path: Path) -> None:
    """Refuse a file that a letter could not be written to, before any work is done for it."""
    _check(path, _LETTER_WRITERS)
    if path.suffix.lower() == ".pdf":
        pdf.find_browser()


def _save(content: _T, path: Path, writers: Mapping[str, _Writer[_T]]) -> Path:
    write = _writer(path, writers)
    with whole_file(path) as beside:
        write(content, beside)
    return path


def _check(path: Path, writers: Mapping[str, _Writer[_T]]) -> None:
    _writer(path, writers)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def _writer(path: Path, writers: Mapping[str, _Writer[_T]]) -> _Writer[_T]:
    if path.suffix.lower() not in writers:
        raise InputError(f"cannot save as {path.suffix or path.name!r}: choose one of {', '.join(writers)}")
    return writers[path.suffix.lower()]


def _write(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8", newline="\n")


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _write_json(path: Path, payload: JsonObject) -> None:
    _write(path, json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def _write_parquet(path: Path, rules: Sequence[Rule]) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError("saving as .parquet needs pyarrow: pip install pyarrow") from None
    frame.to_frame(rules).to_parquet(path, index=False)


def _write_picture(kind: str) -> _Writer[Explanation]:
    return lambda explanation, path: plot.save(plot.matrix(explanation), path, kind)


_WRITERS: dict[str, _Writer[Explanation]] = {
    ".html": lambda explanation, path: _write(path, html.to_report(explanation)),
    ".json": lambda explanation, path: _write_json(path, dump_explanation(explanation)),
    ".csv": lambda explanation, path: frame.to_csv(explanation.rules, path),
    ".parquet": lambda explanation, path: _write_parquet(path, explanation.rules),
    ".txt": lambda explanation, path: _write(path, text.to_text(explanation, _TEXT_WIDTH) + "\n"),
    ".png": _write_picture("png"),
    ".svg": _write_picture("svg"),
    ".pdf": _write_picture("pdf"),
}

_LETTER_WRITERS: dict[str, _Writer[Letter]] = {
    ".html": lambda letter, path: _write_bytes(path, encode_page(letter.html)),
    ".pdf": lambda letter, path: pdf.print_page(encode_page(letter.html), path),
    ".json": lambda letter, path: _write_bytes(path, encode_record(letter.record)),
}

_RULE_WRITERS: dict[str, _Writer[RuleList]] = {
    ".json": lambda rules, path: _write_json(path, dump_rules(rules)),
    ".csv": lambda rules, path: frame.to_csv(rules.rules, path),
    ".parquet": lambda rules, path: _write_parquet(path, rules.rules),
    ".txt": lambda rules, path: _write(path, rule_table.to_text(rules, _TEXT_WIDTH) + "\n"),
}
