"""skops without its own list of trusted types."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import skops
import skops.io
from loans import DECISIONS, MIXED, TABLE, forest, mixed_forest, refuses
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lormika import cli, models, session
from lormika.jobs import worker
from lormika.models import isolated_child, lean_skops
from lormika.models.archive import pack


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.fixture
def no_skops(monkeypatch):
    """A process of our own that has not imported skops.io."""
    monkeypatch.setattr(session, "_own", True)
    monkeypatch.setattr(skops, "io", skops.io)  # so that it is there again in the end
    monkeypatch.setattr(lean_skops, "_lean", [])
    for name in [name for name in sys.modules if f"{name}.".startswith("skops.io.")]:
        monkeypatch.delitem(sys.modules, name)


MODELS = {
    "forest": forest(),
    "columns": mixed_forest(),
    "linear": make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=0)).fit(TABLE, DECISIONS),
    "extra trees": ExtraTreesClassifier(3, max_depth=3).fit(TABLE, DECISIONS),
    "boosting": GradientBoostingClassifier(n_estimators=3).fit(TABLE, DECISIONS),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=3).fit(TABLE, DECISIONS),
    "drawing": make_pipeline(StandardScaler(), SGDClassifier(random_state=np.random.RandomState(0))).fit(
        TABLE, DECISIONS
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_are_loaded_without_the_list(path, no_skops, name):
    skops.io.dump(MODELS[name], path)
    loaded = models.load(path)
    assert "skops.io" not in sys.modules, "it had to be imported as a whole"
    assert type(loaded) is type(MODELS[name])
    table = MIXED if name == "columns" else TABLE
    np.testing.assert_array_equal(loaded.predict(table), MODELS[name].predict(table))


def test_what_it_cannot_load_is_loaded_by_the_whole(path, no_skops, monkeypatch):
    def fail(*_, **__):
        raise KeyError("a list that is not empty")

    skops.io.dump(forest(), path)
    monkeypatch.setattr(lean_skops._import_lean(), "load", fail)
    assert models.load(path).n_estimators == forest().n_estimators
    assert "skops.io" in sys.modules


def test_it_trusts_nothing_by_itself(no_skops):
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(MODELS["linear"]))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with pytest.raises(Exception, match="StandardScaler"):
        lean_skops._import_lean().load(members, trusted=["sklearn.pipeline.Pipeline"])


def test_a_file_that_is_broken_is_refused_in_the_same_words(path, no_skops):
    skops.io.dump(forest(), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members.pop(next(name for name in members if name.endswith(".npy")))
    path.write_bytes(pack(members))
    with refuses("model.skops", "cannot be loaded: KeyError", "There is no item named"):
        models.load(path)


PROGRAM = """
import sys
from lormika import models, session
if {own}:
    session.own_process()
models.load({path!r})
assert ("skops.io" in sys.modules) == (not {own})
import skops, skops.io
skops.io.load({path!r})  # whose types it trusts by itself
models.load({path!r})
"""


@pytest.mark.parametrize("own", [False, True])
def test_others_get_it_whole(path, own):
    skops.io.dump(MODELS["linear"], path)
    subprocess.run([sys.executable, "-c", PROGRAM.format(own=own, path=str(path))], check=True)


class SaidError(Exception):
    """It said that the process is our own."""


@pytest.mark.parametrize("module", [cli, worker, isolated_child], ids=lambda module: module.__name__)
def test_commands_workers_and_isolated_models_are_processes_of_our_own(module, monkeypatch):
    def say():
        raise SaidError

    monkeypatch.setattr(module, "own_process", say)
    with pytest.raises(SaidError):
        module.main()
