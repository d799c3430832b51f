"""What a run's folder may hold: only files that this program wrote are ever touched."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lormika.errors import InputError
from lormika.saved import OWN_NAMES
from lormika.writing import Unfinished

LOCK, WRITING = ".lock", ".writing"
PARTS = ("rules", "instances")

_FILES = re.compile(r"run\.json|manifest\.json|report\.html|input-[0-9a-f]{32}\.parquet")
_BACKGROUND = re.compile(r"background-[0-9a-f]{32}")
_PART = re.compile(r"part-(\d{5,})\.parquet")
_PAGE = "report.html"  # which is written without a lock


def check_contents(folder: Path) -> None:
    """Refuse a folder that is not a run's, or in which one of a run's names stands for something else.

    Once a run has begun, other people's files in its folder do no harm and are left alone.
    """
    for path in sorted(folder.iterdir()):
        if _is_own(path):
            _check_kind(path)
        else:
            _check_begun(folder, path)
    for part in (path for kind in PARTS for path in _entries(folder / kind)):
        if _PART.fullmatch(part.name):
            _check_kind(part)
        if not _is_leftover(part):
            _check_begun(folder, part)


def check_parts(folder: Path, chunks: int) -> None:
    """Refuse parts of chunks that a run does not have: anyone reading all parts would take them for the run's own."""
    for part in (path for kind in PARTS for path in _entries(folder / kind)):
        name = _PART.fullmatch(part.name)
        if name and int(name[1]) >= chunks:
            raise InputError(f"{part} is not of this run, which has {chunks:,} chunks: move it away")


def remove_leftovers(folder: Path) -> None:
    """Remove what interrupted writes left behind; the caller holds the lock under which they were made."""
    for path in (path for place in (folder, *(folder / kind for kind in PARTS)) for path in _entries(place)):
        if _is_leftover(path):
            remove_background(path) if path.is_dir() else path.unlink(missing_ok=True)


def remove_own(paths: Iterable[Path]) -> None:
    """Remove what a run wrote that never began."""
    for path in paths:
        if _BACKGROUND.fullmatch(path.name):
            remove_background(path)
        elif path.name in PARTS:
            with suppress(OSError):  # it holds something
                path.rmdir()
        elif _FILES.fullmatch(path.name):
            path.unlink(missing_ok=True)


def remove_background(folder: Path) -> None:
    """Remove the arrays of a background; refuse if others have put files among them."""
    for path in _entries(folder):
        if path.name not in OWN_NAMES or path.is_dir():
            raise InputError(f"{path} is not of a run: move it away, and start again")
    for path in _entries(folder):
        path.unlink(missing_ok=True)
    if folder.exists():
        folder.rmdir()


def _entries(folder: Path) -> list[Path]:
    """What a folder holds; nothing if it is not a folder, or is gone."""
    try:
        return [] if folder.is_symlink() else sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_own(path: Path) -> bool:
    name = path.name
    if name in (LOCK, WRITING, *PARTS) or _FILES.fullmatch(name) or _is_leftover(path):
        return True
    return _BACKGROUND.fullmatch(name) is not None


def _is_leftover(path: Path) -> bool:
    """Whether it is a file of ours that was never finished, or a folder of arrays."""
    unfinished = Unfinished.of(path)
    if unfinished is None:
        return False
    mode = _mode(path)
    if mode is None:
        return True
    if unfinished.name == "background":
        return stat.S_ISDIR(mode) and all(entry.name in OWN_NAMES for entry in _entries(path))
    name = _FILES.fullmatch(unfinished.name) or _PART.fullmatch(unfinished.name)
    if not name or not stat.S_ISREG(mode):
        return False
    return unfinished.name != _PAGE or unfinished.abandoned


def _check_kind(path: Path) -> None:
    """Refuse a link, a pipe, a folder in place of a file: following it would lead out of the folder, or nowhere."""
    mode = _mode(path)
    is_right = stat.S_ISDIR if path.name in PARTS or "background" in path.name else stat.S_ISREG
    if mode is not None and not is_right(mode):
        what = "a symbolic link" if stat.S_ISLNK(mode) else "not what a run has under this name"
        raise InputError(f"{path} is {what}: choose another folder, or move it away")


def _mode(path: Path) -> int | None:
    """What kind of file it is; None if it is gone, since other jobs of an array are at work."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def _check_begun(folder: Path, path: Path) -> None:
    """Refuse foreign files in a folder that is not a run's; checked late, since another job may have begun it."""
    if not (folder / "run.json").is_file():
        name = str(path.relative_to(folder))
        raise InputError(f"{folder} holds {name!r}, which is not of a run: choose an empty folder")
