"""Real skops files, and broken ones."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import skops.io
from loans import DECISIONS, MIXED, TABLE, assert_same, explain, forest, mixed_forest, refuses
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lormika import InputError, models


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


def test_the_same_rules_as_in_python(path):
    skops.io.dump(forest(), path)
    loaded = models.load(path)
    assert list(loaded.feature_names_in_) == list(TABLE)
    assert_same(explain(loaded), explain(forest()))


def test_a_pipeline_of_columns(path):
    skops.io.dump(mixed_forest(), path, compression=zipfile.ZIP_DEFLATED)
    assert_same(explain(models.load(path), MIXED), explain(mixed_forest(), MIXED))


MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "power": make_pipeline(PowerTransformer(), SGDClassifier(random_state=0)),
    "bayes": GaussianNB(),
    "network": MLPClassifier((4,), max_iter=500, tol=1.0, random_state=0),
    "tree": DecisionTreeClassifier(max_depth=3),
    "extra trees": ExtraTreesClassifier(3, max_depth=3),
    "boosting": GradientBoostingClassifier(n_estimators=3),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=3),
    "ada": AdaBoostClassifier(n_estimators=3),
    "bag": BaggingClassifier(DecisionTreeClassifier(max_depth=3), 3, max_features=2),
    "vote": VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=3))], voting="soft"),
    "calibrated": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_common_classifiers_are_trusted(path, name):
    model = MODELS[name].fit(TABLE, DECISIONS)
    skops.io.dump(model, path)
    np.testing.assert_array_equal(models.load(path).predict(TABLE), model.predict(TABLE))


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        Ridge(),
        Lasso(),
        RandomForestRegressor(3, random_state=0),
        GradientBoostingRegressor(n_estimators=3),
        HistGradientBoostingRegressor(max_iter=3, loss="absolute_error"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_common_regressors_are_trusted(path, model):
    numbers = TABLE.select_dtypes("number").fillna(0)
    model.fit(numbers, numbers.iloc[:, 0])
    skops.io.dump(model, path)
    np.testing.assert_array_equal(models.load(path).predict(numbers), model.predict(numbers))


def test_a_type_of_the_users_own_must_be_named(path):
    model = KNeighborsClassifier(algorithm="brute").fit(TABLE, DECISIONS)
    skops.io.dump(model, path)
    name = "sklearn.neighbors._classification.KNeighborsClassifier"
    with refuses("model.skops", name, f"trust=['{name}']", f"--trust {name}"):
        models.load(path)
    assert models.load(path, trust=[name]).n_neighbors == 5


# Archives that lie


def zipped(content: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as file:
        for name, member in content.items():
            file.writestr(name, member)
    return data.getvalue()


def test_a_small_file_that_unpacks_to_a_large_one(path):
    bomb = zipped({"schema.json": b"{}", "0.npy": bytes(50_000_000)})
    assert len(bomb) < 60_000
    path.write_bytes(bomb)
    with refuses("model.skops", "more than 10 MB", "max_size"):
        models.load(path, max_size=10_000_000)


@pytest.mark.parametrize("before", [b"", b"PK\x05\x06"])  # which numpy takes for an archive, too
def test_an_archive_in_the_archive(path, before):
    inner = before + zipped({f"{number}.npy": bytes(20_000_000) for number in range(3)})
    path.write_bytes(zipped({"schema.json": b"{}", "0.npz": inner}))
    with refuses("model.skops", "more than", "max_size"):
        models.load(path, max_size=40_000_000)


def test_a_size_that_is_not_true(path):
    content = bytes(5_000_000)
    data = zipped({"schema.json": b"{}", "0.npy": content})
    assert data.count(struct.pack("<I", len(content))) == 2
    path.write_bytes(data.replace(struct.pack("<I", len(content)), struct.pack("<I", 10)))
    with refuses("model.skops", "broken archive"):
        models.load(path, max_size=1_000_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_that_cannot_be_bounded(path, method):
    path.write_bytes(zipped({"schema.json": b"{}"}, method))
    with refuses("model.skops", "unusual"):
        models.load(path)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(2, 2)", "(-1,)"])
def test_an_array_that_says_it_is_larger(path, shape):
    array = io.BytesIO()
    np.save(array, np.zeros(10))
    header = array.getvalue()[:128].replace(b"(10,), }", f"{shape}, }}".encode())[:127].ljust(127) + b"\n"
    path.write_bytes(zipped({"schema.json": b"{}", "0.npy": header + bytes(80)}))
    with refuses("model.skops", "broken array"):
        models.load(path)


def test_an_array_of_objects(path):
    array = io.BytesIO()
    np.save(array, np.array([{}], dtype=object), allow_pickle=True)
    path.write_bytes(zipped({"schema.json": b"{}", "0.npy": array.getvalue()}))
    with refuses("model.skops", "Python objects"):
        models.load(path)


def nested(depth: int) -> bytes:
    schema: dict = {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "str", "content": "1"}
    text = json.dumps(schema)
    opening = '{"__loader__": "ListNode", "__module__": "builtins", "__class__": "list", "protocol": 2, "content": ['
    return (opening * depth + text + "]}" * depth).encode()


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_deep_nesting(path, depth):
    path.write_bytes(zipped({"schema.json": nested(depth)}))
    with refuses("model.skops", "nested too deeply"):
        models.load(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04 and no more", "broken archive"),
        (b"hello", "not a skops file"),
        (zipped({"a.json": b"{}"}), "schema.json"),
        (zipped({"schema.json": b"{"}), "not JSON"),
        (zipped({"schema.json": b"[]"}), "protocol"),
        (zipped({"schema.json": b'{"protocol": 2}'}), "cannot be loaded"),
        (zipped({"schema.json": b'{"protocol": 2, "__loader__": 1}'}), "does not say what it is"),
        (zipped({"schema.json": b'{"protocol": 2, "__loader__": "ListNode", "__module__": "builtins", '
                                b'"__class__": "list", "content": 3}'}), "cannot be loaded"),
    ],
)  # fmt: skip
def test_broken_files(path, content, words):
    path.write_bytes(content)
    with refuses("model.skops", words):
        models.load(path)


def test_half_a_file(path):
    skops.io.dump(forest(), path)
    path.write_bytes(path.read_bytes()[:-1000])
    with refuses("model.skops", "broken"):
        models.load(path)


def directory(data: bytes, offset: int, value: bytes) -> bytes:
    """Change what the archive says of its first member at its end."""
    start = data.index(b"PK\x01\x02") + offset
    return data[:start] + value + data[start + len(value) :]


@pytest.mark.parametrize(
    ("offset", "value"),
    [(8, b"\x00\x08"), (38, b"\xff\xff\xff\xff"), (42, b"\xff\xff\xff\xff"), (28, b"\xff\xff"), (30, b"\xff\xff")],
    ids=["name in UTF-8", "attributes", "place", "length of the name", "length of what is extra"],
)
def test_a_broken_directory(path, offset, value):
    data = zipped({"\xff.json": b"{}", "schema.json": b"{"})
    path.write_bytes(directory(data.replace("\xff".encode(), b"\xff\xfe"), offset, value))
    with refuses("model.skops"):
        models.load(path)


def test_a_directory_that_points_before_the_file(path):
    data = zipped({"schema.json": b"{}"})
    size = data.index(b"PK\x05\x06") + 16  # of the place of the directory: this many bytes seem to stand before it
    place = struct.unpack("<I", data[size : size + 4])[0]
    path.write_bytes(data[:size] + struct.pack("<I", place + 20_000) + data[size + 4 :])
    with refuses("model.skops", "broken archive"):
        models.load(path)


@pytest.mark.parametrize("value", [2.5, [[1], [2]]])
def test_classes_that_are_none(path, value):
    model = GaussianNB().fit(TABLE, DECISIONS)
    model.classes_ = value
    skops.io.dump(model, path)
    with refuses("model.skops"):
        models.load(path)


def test_a_file_that_needs_more_memory_than_there_is(path, monkeypatch):
    def fail(*details, **more):
        raise MemoryError

    skops.io.dump(tree(), path)
    monkeypatch.setattr(skops.io, "loads", fail)
    with refuses("model.skops", "more memory"):
        models.load(path)


@pytest.mark.parametrize("in_directory", [False, True])
def test_changed_bytes_are_refused_or_do_no_harm(path, in_directory):
    random = np.random.default_rng(0)
    skops.io.dump(GaussianNB().fit(TABLE, DECISIONS), path)
    whole = path.read_bytes()
    start = whole.index(b"PK\x01\x02") if in_directory else 0
    for _ in range(100):
        data = bytearray(whole)
        for place in random.integers(start, len(data), random.integers(1, 5)):
            data[place] = random.choice([0, 127, 128, 255, random.integers(256)])
        path.write_bytes(data)
        said = ""
        try:
            models.load(path)
        except InputError as error:
            said = str(error)
        assert not said or "model.skops" in said


# Trees that point outside


def tamper(model, field: str, value: int):
    """Let the root of a tree point somewhere else."""
    state = model.tree_.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][field][0] = value
    model.tree_.__setstate__(state)
    return model


def tree():
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(TABLE, DECISIONS)


def test_a_tampered_tree_really_ends_the_interpreter(path):
    skops.io.dump(tamper(tree(), "left_child", 10**9), path)
    program = (
        "import skops.io, numpy, sys; "
        "m = skops.io.load(sys.argv[1], trusted=['sklearn.tree._tree.Tree']); m.predict(numpy.full((1, 5), -1e9))"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -11


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 10**9), ("right_child", -7), ("left_child", 0), ("feature", 5), ("feature", -3)],
)
def test_a_tampered_tree_is_refused(path, field, value):
    skops.io.dump(tamper(tree(), field, value), path)
    with refuses("model.skops", "tree", "tampered"):
        models.load(path)


def test_a_tampered_tree_of_a_forest_is_refused(path):
    """A forest looks at the table once, whatever its trees say of themselves."""
    model = ExtraTreesClassifier(3, max_depth=3, random_state=0).fit(TABLE, DECISIONS)
    wide = np.zeros((len(TABLE), 50))
    wide[:, 49] = TABLE["income"]
    model.estimators_[1] = DecisionTreeClassifier(max_depth=2).fit(wide, (DECISIONS == "rejected").astype(float))
    skops.io.dump(model, path)
    with refuses("model.skops", "tree", "tampered"):
        models.load(path)


@pytest.mark.parametrize(("field", "value"), [("left", 4_000_000_000), ("feature_idx", 99), ("right", 0)])
def test_a_tampered_tree_of_histogram_boosting_is_refused(path, field, value):
    model = HistGradientBoostingClassifier(max_iter=2).fit(TABLE, DECISIONS)
    model._predictors[0][0].nodes[field][0] = value
    skops.io.dump(model, path)
    with refuses("model.skops", "tree", "tampered"):
        models.load(path)
