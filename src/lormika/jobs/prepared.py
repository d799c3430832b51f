"""The explainer of a run on disk, which any number of processes map into memory and share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.explainer import Explainer
from lormika.jobs.contents import remove_background
from lormika.jobs.inputs import is_background, name_background
from lormika.saved import load_parts, save_parts
from lormika.writing import beside

if TYPE_CHECKING:
    from pathlib import Path

    from lormika.types import UserModel


def save(explainer: Explainer, folder: Path) -> str:
    """Write an explainer to a folder named by its content, and return that name.

    The run knows its model by the SHA-256 of its file; answers of the model, which may differ in their last digits,
    would make the name another one.
    """
    new = beside(folder / "background")
    new.mkdir()
    save_parts(explainer._parts, new, known=folder / "background-*", answers=False)
    name = name_background(new)
    if is_background(folder / name):
        remove_background(new)
    else:
        remove_background(folder / name)
        new.replace(folder / name)
    return name


def load(folder: Path, model: UserModel) -> Explainer:
    """An explainer from a folder that `save` made, with the model it was made with."""
    remedy = "start the run again to make it anew"
    return Explainer._of(load_parts(folder, model, check_model=False, remedy=remedy))
