"""A saved explainer that is damaged, of another model, or made to do harm is refused."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from lacking import on_posix
from lormika import Explainer, InputError, ModelError, datasets
from lormika.saved import facts as sealing

X, Y = datasets.make_loans(300)
NUMBERS = X[["income", "savings", "age"]].assign(job=X["employment"].astype("category").cat.codes)


@pytest.fixture
def model() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(NUMBERS, Y)


@pytest.fixture
def folder(tmp_path, model) -> Path:
    return Explainer(model, NUMBERS, categorical=["job"]).save(tmp_path / "saved")


def _reseal(folder: Path, **changes: object) -> None:
    """Change what the manifest says, with hashes that are right again: what a stranger can do."""
    content = sealing.unseal((folder / "explainer.json").read_bytes()) | changes
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in content["files"]}
    (folder / "explainer.json").write_bytes(sealing.seal(content | {"files": files}))


def _refused(folder: Path, model: object, match: str = "cannot be read") -> None:
    with pytest.raises(InputError, match=match):
        Explainer.load(folder, model)


def test_every_changed_byte_is_noticed(folder, model) -> None:
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        ends = () if path.suffix == ".json" else (len(whole) - 2,)  # in JSON, there is white space
        for place in (len(whole) // 3, *ends):
            changed = bytearray(whole)
            changed[place] ^= 1
            path.write_bytes(changed)
            _refused(folder, model)
        path.write_bytes(whole[:-5])
        _refused(folder, model)
        path.unlink()
        _refused(folder, model, "missing")
        path.write_bytes(whole)
    Explainer.load(folder, model)


def test_another_model(folder, model) -> None:
    other = DecisionTreeClassifier(max_depth=4, random_state=0).fit(NUMBERS, Y)
    _refused(folder, other, "saved with another model.*check_model=False")
    loaded = Explainer.load(folder, other, check_model=False)
    assert loaded.explain(NUMBERS.iloc[[0]]).rules


def test_a_model_that_fails_is_an_error_of_the_model(folder) -> None:
    def ask(frame: object) -> np.ndarray:
        raise RuntimeError("no")

    with pytest.raises(ModelError, match="no"):
        Explainer.load(folder, ask)


@on_posix
@pytest.mark.parametrize("name", ["codes.npy", "explainer.json", "witness.bin"])
def test_links_and_pipes_are_not_followed(folder, model, tmp_path, name: str) -> None:
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    _refused(folder, model, name)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    _refused(folder, model, name)


class Payload:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def test_nothing_is_unpickled(folder, model, tmp_path) -> None:
    mark = tmp_path / "pwned"
    for name in ("codes.npy", "witness.bin"):
        whole = (folder / name).read_bytes()
        np.save(tmp_path / "evil.npy", np.array([[Payload(mark)]], dtype=object), allow_pickle=True)
        (folder / name).write_bytes((tmp_path / "evil.npy").read_bytes())
        for facts in ({}, {"witness": {"library": "numpy"}}):
            _reseal(folder, **facts)
            _refused(folder, model)
        (folder / name).write_bytes(pickle.dumps(Payload(mark)))
        _reseal(folder)
        _refused(folder, model)
        (folder / name).write_bytes(whole)
    assert not mark.exists()


def test_no_file_is_opened_by_name(folder, model, tmp_path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"fixed": ["age"]}))
    for facts in ({"constraints": [str(secret)]}, {"constraints": str(secret)}, {"labels": str(secret)}):
        _reseal(folder, **facts)
        _refused(folder, model)
        _reseal(folder, constraints=[], labels={})
    _reseal(folder, files={"codes.npy": "", "../secret.json": ""} | dict.fromkeys(_names(folder), ""))
    assert Explainer.load(folder, model) is not None  # other names are not looked at


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name != "explainer.json"]


def _rewrite(folder: Path, name: str, change) -> None:
    array = np.load(folder / f"{name}.npy")
    np.save(folder / f"{name}.npy", change(array))
    _reseal(folder)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("codes", lambda a: np.full_like(a, np.iinfo(a.dtype).max)),
        ("codes", lambda a: np.where(np.arange(a.shape[1]) == 5, a.dtype.type(200), a)),  # in one row alone
        ("codes", lambda a: a[:, :0]),
        ("codes", lambda a: a.astype(np.int16)),
        ("codes", np.asfortranarray),
        ("offsets", lambda a: a - 1),
        ("offsets", lambda a: np.append(a[:-1], a[-1] + 10**6)),
        ("values", lambda a: a[::-1].copy()),
        ("values", lambda a: np.append(a[:-1], 10**6)),
        ("values", lambda a: np.append(a[:-1], np.inf)),
        ("points", lambda a: a[1:]),
        ("predictions", lambda a: a + 5),
        ("predictions", lambda a: a.astype(np.float64)),
        ("means", lambda a: a[1:]),
        ("codes", lambda a: a.astype(">u2")),
        ("scales", lambda a: -a - 1),
        ("points", lambda a: a * np.nan),
    ],
)
def test_arrays_that_do_not_fit(folder, model, name: str, change) -> None:
    """The core takes arrays as they are: a code beyond its values would read foreign memory."""
    _rewrite(folder, name, change)
    with pytest.raises(InputError, match="cannot be read"):
        Explainer.load(folder, model, check_model=False)  # whose questions would find some of these


def test_texts_that_lie_beyond_the_file(tmp_path) -> None:
    """Arrow would follow the offsets of a stranger out of its memory, and the process would end."""
    texts = X[["income"]].assign(job=X["employment"].astype("str"))
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough"), DecisionTreeClassifier()
    ).fit(texts, Y)
    folder = Explainer(model, texts).save(tmp_path / "texts")
    content = bytearray((folder / "witness.bin").read_bytes())
    whole = pa.py_buffer(bytes(content))
    with pa.ipc.open_file(whole) as file:
        column = file.read_all().column(1)
    offsets = column.chunk(0).buffers()[1]
    width = 8 if pa.types.is_large_string(column.type) else 4
    content[offsets.address - whole.address + width * (len(column) - 1) + 3] = 127
    (folder / "witness.bin").write_bytes(content)
    _reseal(folder)
    with pytest.raises(InputError, match="cannot be read"):
        Explainer.load(folder, model, check_model=False)


@pytest.mark.parametrize(
    "facts",
    [
        {"threshold": 7.0}, {"names": ["a"]}, {"columns": 5}, {"categorical": ["no"]}, {"settings": {"bins": 0}},
        {"settings": {"system": "ls"}}, {"search": {"k": "many"}}, {"cuts": {"no": [1]}}, {"cuts": {"age": ["x"]}},
        {"witness": {"library": "os"}}, {"witness": {}}, {"answers": {"rows": [10**9], "labels": [], "certainty": []}},
        {"answers": {"rows": "all"}}, {"answers": 7}, {"constraints": [{"where": ["import os"]}]},
        {"labels": {"income": {"label": 7}}}, {"classes": None},
    ],
)  # fmt: skip
def test_facts_that_cannot_be(folder, model, facts) -> None:
    _reseal(folder, **facts)
    _refused(folder, model)


def test_a_later_format(folder, model) -> None:
    whole = json.loads((folder / "explainer.json").read_bytes())
    (folder / "explainer.json").write_text(json.dumps(whole | {"format_version": 99}))
    _refused(folder, model, "format 99")


@pytest.mark.parametrize("field", ["names", "classes"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), [], {}, None])
def test_classes_that_are_no_labels(folder, model, field, value) -> None:
    content = sealing.unseal((folder / "explainer.json").read_bytes())
    _reseal(folder, **{field: [value, *content[field][1:]]})
    _refused(folder, model, "not what labels can be")


@pytest.mark.parametrize("place", [0, -1])  # of a number; of a category
def test_points_that_are_not_those_of_the_values(folder, model, place) -> None:
    points = np.load(folder / "points.npy")
    points[place] = 1e18
    np.save(folder / "points.npy", points)
    _reseal(folder)
    with pytest.raises(InputError, match="differ from one file to another"):
        Explainer.load(folder, model, check_model=False)


@pytest.mark.parametrize("name", ["values.npy", "witness.bin", "explainer.json"])
def test_a_folder_in_the_place_of_a_file(folder, model, name) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    (folder / name).unlink()
    (folder / name).mkdir()
    _refused(folder, model, f"{name} is not a plain file|{name} cannot be opened")
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before
