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
    towns.tab.until("document.querySelectorAll('.choices-list li').length === 11")  # and what was typed
    towns.tab.press("ArrowDown", "Enter")
    towns.settle()
    changed = towns.state()["edits"]["town"]
    assert changed.startswith("town 29")
    assert towns.tab.run(f"document.querySelector('{field}').value") == changed
    towns.tab.press("ArrowDown")
    towns.tab.until("document.querySelector('.choices-list:not([hidden]) li')")
    towns.tab.press("Escape")
    assert towns.tab.run("document.querySelector('.choices-list').hidden")


def test_the_predicted_class_is_no_aim(towns):
    choices = "[...document.querySelector('.options select[aria-label^=Class]').options]"
    offered = towns.tab.run(f"{choices}.filter((one) => !one.hidden && !one.disabled).map((one) => one.textContent)")
    assert offered == ["any other class", *sorted({"early", "large", "late"} - {towns.label()})]


def make_kinds() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "size": draw.integers(0, 50, 400), "phone": draw.random(400) < 0.5, "flag": draw.integers(0, 2, 400),
            "street": draw.choice([f"a long street {i:02}" for i in range(30)], 400),
        }
    )  # fmt: skip


def chances(rows: pd.DataFrame) -> np.ndarray:
    """Very sure ones."""
    high = np.where((rows["size"] > 25) | rows["phone"], 0.9996, 0.2)
    return np.column_stack([1 - high, high])


@pytest.fixture
def kinds(show):
    explainer = Explainer(chances, make_kinds(), class_names=["no", "yes"])
    rows = RowTable(make_kinds(), explainer.schema, Roles(None, None, None))
    with Server(Service(explainer, rows), token=TOKEN) as server:
        server.service.forecasts.join(HANGS)
        yield show(server)


def test_what_is_true_or_false_cannot_rise_or_fall(kinds):
    for name, ways in (("phone", 2), ("flag", 2), ("street", 2), ("size", 4)):
        assert kinds.tab.run(f"document.querySelector('{kinds.feature(name)} .lock').options.length") == ways, name


def test_counts_of_categories_say_what_they_count(kinds):
    title = kinds.tab.run(f"document.querySelector('{kinds.feature('phone')} .pick').title")
    assert title.endswith(" rows of the background have this")
    kinds.tab.click(f"{kinds.feature('street')} [role=combobox]")
    kinds.tab.until("document.querySelector('.choices-list [role=option] small')")
    assert kinds.tab.text(".choices-list [role=option] small").endswith(" rows of the background")


def test_thirty_categories_are_a_list_with_search(kinds):
    assert kinds.tab.run(f"document.querySelectorAll('{kinds.feature('street')} [role=combobox]').length") == 1
    kinds.tab.run("document.querySelectorAll('.board details').forEach((one) => { one.open = true; })")
    assert (
        kinds.tab.run("Math.max(...[...document.querySelectorAll('.choices')].map((one) => one.children.length))") <= 5
    )


def test_nearly_certain_is_not_called_certain(kinds):
    row = next(
        one["row"] for one in (kinds.tab.run("fetch('/api/cases?text=phone == True').then((r) => r.json())"))["cases"]
    )
    kinds.visit(row=row)
    assert "more than 99% sure" in kinds.tab.text("#verdict .headline")
    kinds.click(f"{kinds.feature('phone')} .pick:nth-of-type(2) input").click(
        f"{kinds.feature('phone')} .pick:nth-of-type(1) input"
    )
    kinds.choose(f"{kinds.feature('size')} input[type=number]", "3")
    assert "100%" not in kinds.tab.text("#verdict .headline")


def test_labels_only_and_three_classes(towns):
    row = next(iter(towns.rows()))
    assert "labels only" in towns.tab.text("#verdict")
    assert towns.tab.run("document.querySelectorAll('#verdict .bar').length") == 0
    value = "45" if towns.label() != "large" else "2"
    towns.choose(f"{towns.feature('size')} input[type=number]", value)
    assert towns.state() | {"data": 0} == {"row": row, "edits": {"size": int(value)}, "data": 0}
    assert (towns.label() == "large") == (value == "45")
    assert towns.tab.complaints() == []
