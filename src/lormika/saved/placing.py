"""Where a saved explainer goes: a folder appears whole or not at all, and nothing of other people's is overwritten."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from lormika.errors import InputError, describe
from lormika.parts import Parts
from lormika.saved.folder import OWN_NAMES, save_parts
from lormika.writing import beside


def save_folder(parts: Parts, folder: Path) -> Path:
    """Save to a folder that is new, empty, or holds an explainer that was saved before."""
    _check_place(folder)
    new, old = beside(folder), beside(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new.mkdir()
        save_parts(parts, new, known=folder)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except OSError as error:
        raise InputError(f"the explainer cannot be saved: {describe(error)}") from error
    finally:
        for left in (new, old):
            remove(left)
    return folder


def remove(folder: Path) -> None:
    """Remove a folder of ours, if it is there; files of others stay, and the folder with them."""
    for name in OWN_NAMES:
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _check_place(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError(f"{folder} is no folder: save the explainer under another name")
    if not folder.exists():
        return
    for path in sorted(folder.iterdir()):
        if path.name not in OWN_NAMES or path.is_dir():
            raise InputError(f"{folder} holds {path.name!r}, which is not of a saved explainer: choose another folder")
