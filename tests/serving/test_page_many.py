"""The page in a browser: a feature of many categories, three classes, and models without probabilities."""

import numpy as np
import pandas as pd
import pytest
from served_loans import HANGS, TOKEN

from lormika import Explainer
from lormika.serving.launch import Server
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import Service


def make_towns() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    towns = [f"town {i:03}" for i in range(300)]
    frame = {"size": draw.integers(0, 50, 900), "town": draw.choice(towns, 900), "depth": draw.normal(size=900)}
    return pd.DataFrame(frame)


def label(rows: pd.DataFrame) -> np.ndarray:
    """Only labels, of three classes."""
    late = rows["town"].astype(str).str[-3:].astype(int) >= 150
    return np.where(rows["size"] > 30, "large", np.where(late, "late", "early"))


@pytest.fixture
def towns(show):
    explainer = Explainer(label, make_towns(), class_names=["early", "large", "late"])
    rows = RowTable(make_towns(), explainer.schema, Roles(None, None, None))
    with Server(Service(explainer, rows), token=TOKEN) as server:
        server.service.forecasts.join(HANGS)
        yield show(server)


def test_a_category_is_searched_for(towns):
    field = f"{towns.feature('town')} [role=combobox]"
    towns.tab.run(f"document.querySelector('{field}').focus()")
    towns.tab.press("ArrowDown")
    towns.tab.until("document.querySelector('.choices-list:not([hidden]) li')")
    assert "more: type to search" in towns.tab.text(".choices-list")
    towns.tab.run("document.activeElement.select()")
    towns.tab.type("town 29")
    towns.tab.until("document.querySelectorAll('.choices-list li').length === 10")
    towns.tab.press("ArrowDown", "Enter")
    towns.settle()
    changed = towns.state()["edits"]["town"]
    assert changed.startswith("town 29")
    assert towns.tab.run(f"document.querySelector('{field}').value") == changed
    towns.tab.press("ArrowDown")
    towns.tab.until("document.querySelector('.choices-list:not([hidden]) li')")
    towns.tab.press("Escape")
    assert towns.tab.run("document.querySelector('.choices-list').hidden")


def test_labels_only_and_three_classes(towns):
    row = next(iter(towns.rows()))
    assert "labels only" in towns.tab.text("#verdict")
    assert towns.tab.run("document.querySelectorAll('#verdict .bar').length") == 0
    value = "45" if towns.label() != "large" else "2"
    towns.choose(f"{towns.feature('size')} input[type=number]", value)
    assert towns.state() | {"data": 0} == {"row": row, "edits": {"size": int(value)}, "data": 0}
    assert (towns.label() == "large") == (value == "45")
    assert towns.tab.complaints() == []
