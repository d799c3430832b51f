"""An explainer in MLflow, with the real package and a store of local files."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from lormika import Explainer, InputError, ModelError, datasets
from lormika.views.rule_columns import FRAME

with warnings.catch_warnings():  # of its own, as it is loaded
    warnings.simplefilter("ignore")
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install 'lormika[mlflow]'")
    importlib.import_module("mlflow.sklearn")

from lormika.integrations.mlflow import load_explainer, log_explainer, save_explainer
from lormika.integrations.mlflow.rule_table import RulesModel

NAMES = ["income", "savings", "missed_payments", "employment", "phone"]
TREES = ["sklearn.tree._tree.Tree", "numpy.dtype"]  # what MLflow wants to be told before it loads a tree

# What the package warns of, of itself and of those it uses, is not about us.
pytestmark = [pytest.mark.filterwarnings("ignore", r"error:::lormika(\..*)?")]


@pytest.fixture(scope="module")
def loans():
    X, y = datasets.make_loans(400)
    X = X[NAMES]
    texts = make_column_transformer((OneHotEncoder(), ["employment"]), remainder="passthrough")
    model = make_pipeline(texts, DecisionTreeClassifier(max_depth=5, random_state=0)).fit(X, y)
    return X, model, Explainer(model, X)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of its own for runs, models and versions."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_registry_uri((tmp_path / "runs").as_uri())
    try:
        yield tmp_path
    finally:
        mlflow.set_tracking_uri(before)
        mlflow.set_registry_uri(None)


@pytest.fixture
def skops_file(loans, tmp_path):
    import skops.io

    path = tmp_path / "loans.skops"
    skops.io.dump(loans[1], path)
    return path


def folder_of(uri: str) -> Path:
    return Path(mlflow.artifacts.download_artifacts(artifact_uri=uri))


def test_a_logged_explainer_is_the_same_again(loans, store, skops_file):
    X, _, explainer = loans
    with mlflow.start_run() as run:
        info = log_explainer(
            explainer, "why", model=skops_file, registered_model_name="loans-why", tags={"of": "loans"}
        )
    assert info.run_id == run.info.run_id
    for uri in (info.model_uri, "models:/loans-why/1"):
        again = load_explainer(uri)
        assert again.explain(X.iloc[[7]]).to_json() == explainer.explain(X.iloc[[7]]).to_json()


def test_it_predicts_a_table_of_rules(loans, store, skops_file):
    X, _, explainer = loans
    with mlflow.start_run():
        info = log_explainer(explainer, model=skops_file)
    table = mlflow.pyfunc.load_model(info.model_uri).predict(X.iloc[10:13], params={"k": 2, "objective": "lift"})
    assert table.columns.tolist() == ["row", "prediction", "rank", *(column.name for column in FRAME)]
    for row in range(3):
        why = explainer.explain(X.iloc[[10 + row]], k=2, objective="lift")
        own = table[table["row"] == row].reset_index(drop=True)
        pd.testing.assert_frame_equal(own.drop(columns=["row", "prediction", "rank"]), why.to_frame())
        assert set(own["prediction"]) == {why.prediction}
        assert own["rank"].tolist() == list(range(len(why.rules)))


def test_options_and_rows_that_cannot_be_used_are_named(loans, store, skops_file):
    X, _, explainer = loans
    save_explainer(explainer, store / "saved", model=skops_file)
    model = mlflow.pyfunc.load_model(str(store / "saved"))
    with pytest.raises(InputError, match=r"objective='best': choose "):
        model.predict(X.iloc[:1], params={"objective": "best"})
    turned = model.predict(X.iloc[:1], params={"target": "accepted", "at_least": 0.9})
    assert set(turned.loc[turned["category"] == "hypothetical_contradicting", "consequent"]) <= {"accepted"}
    unseen = X.iloc[:3].assign(employment=["employed", "astronaut", "employed"])
    with pytest.raises(ModelError, match=r"row 1 cannot be explained: .*astronaut"):
        model.predict(unseen)
    with pytest.warns(UserWarning, match="1 of 3 rows have no rules; row 1 cannot be explained"):
        table = model.predict(unseen, params={"on_error": "record"})
    assert set(table["row"]) == {0, 2}


def test_a_model_logged_by_its_own_flavour_is_named_by_its_address(loans, store):
    X, model, explainer = loans
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="loans", skops_trusted_types=TREES)
        info = log_explainer(explainer, "why", model=logged.model_uri, extra_pip_requirements=["colorama>=0.4"])
    table = mlflow.pyfunc.load_model(info.model_uri).predict(X.iloc[[7]])
    assert table["rule"].tolist() == list(map(str, explainer.explain(X.iloc[[7]]).rules))
    folder = folder_of(info.model_uri)
    assert not [path for path in folder.rglob("*") if path.suffix in (".pkl", ".skops", ".pickle", ".joblib")]
    needed = (folder / "requirements.txt").read_text().split()
    theirs = (folder_of(logged.model_uri) / "requirements.txt").read_text().split()
    assert set(theirs) <= set(needed)
    assert "colorama>=0.4" in needed
    assert len({line.partition("==")[0] for line in needed}) == len(needed)


def test_a_model_of_another_flavour_answers_by_its_function(loans, store):
    """Labels alone, as the function that MLflow makes of most models gives them."""
    X, model, _ = loans

    class Labels(mlflow.pyfunc.PythonModel):
        def predict(self, context, model_input, params=None):
            return model.predict(model_input)

    with mlflow.start_run():
        logged = mlflow.pyfunc.log_model(name="labels", python_model=Labels())
        explainer = Explainer(model.predict, X)
        info = log_explainer(explainer, "why", model=logged.model_uri)
    assert load_explainer(info.model_uri).explain(X.iloc[[3]]).to_json() == explainer.explain(X.iloc[[3]]).to_json()


def test_without_a_model_it_is_given_at_loading(loans, store, skops_file):
    X, model, explainer = loans
    with mlflow.start_run():
        info = log_explainer(explainer)
    with pytest.raises(InputError, match="logged without its model: give it"):
        load_explainer(info.model_uri)
    with pytest.raises(InputError, match="logged without its model: give it"):
        mlflow.pyfunc.load_model(info.model_uri)
    expected = explainer.explain(X.iloc[[7]]).to_json()
    for given in (model, skops_file, str(skops_file)):
        assert load_explainer(info.model_uri, given).explain(X.iloc[[7]]).to_json() == expected
    function = mlflow.pyfunc.load_model(info.model_uri, model_config={"model": str(skops_file)})
    assert len(function.predict(X.iloc[[7]])) == len(explainer.explain(X.iloc[[7]]).rules)


def test_another_model_is_refused(loans, store, tmp_path):
    import skops.io

    X, model, explainer = loans
    other = make_pipeline(make_column_transformer(("passthrough", ["income"])), DecisionTreeClassifier(max_depth=1))
    other.fit(X, model.predict(X)[::-1])
    skops.io.dump(other, tmp_path / "other.skops")
    with pytest.raises(InputError, match=r"model='.*other.skops': the explainer was saved with another model"):
        save_explainer(explainer, tmp_path / "why", model=tmp_path / "other.skops")
    assert not (tmp_path / "why").exists()
    save_explainer(explainer, tmp_path / "why")
    with pytest.raises(InputError, match="saved with another model"):
        load_explainer(tmp_path / "why", other)
    assert load_explainer(tmp_path / "why", other, check_model=False).explain(X.iloc[[0]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("loans.pkl", "model='loans.pkl' is of no kind that can be kept without pickle: give a .skops or .onnx file"),
        ("lost.skops", "model='lost.skops': there is no such file"),
        (len, "model: a builtin_function_or_method cannot be written without pickle"),
        ("models:/nothing/1", "model='models:/nothing/1': models:/nothing/1 cannot be loaded: "),
    ],
)
def test_a_model_that_cannot_be_kept_is_refused(loans, store, model, message):
    with pytest.raises(InputError) as refused:
        save_explainer(loans[2], store / "why", model=model)
    assert str(refused.value).startswith(message)


def test_what_is_no_explainer_is_refused(loans, store):
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(loans[1], name="loans", skops_trusted_types=TREES)
    with pytest.raises(InputError, match="holds no explainer: give one that log_explainer or save_explainer wrote"):
        load_explainer(logged.model_uri)


def test_the_folder_says_what_goes_in_and_out_and_what_it_needs(loans, store, skops_file):
    import lormika

    X, _, explainer = loans
    save_explainer(explainer, store / "why", model=skops_file, metadata={"owner": "risk"})
    info = mlflow.models.get_model_info(str(store / "why"))
    types = {column.name: column.type for column in info.signature.inputs}
    assert list(types) == NAMES
    assert [str(types[name]) for name in ("income", "savings", "phone")] == [
        "DataType.long",
        "DataType.double",
        "DataType.boolean",
    ]
    assert {param.name: param.default for param in info.signature.params}["k"] == explainer.search_options.k
    assert info.metadata == {"owner": "risk"}
    example = mlflow.models.Model.load(str(store / "why")).load_input_example(str(store / "why"))
    assert example.iloc[0].to_dict() == X.iloc[0].to_dict()
    needed = (store / "why" / "requirements.txt").read_text().split()
    for package in (f"lormika=={lormika.__version__}", f"numpy=={np.__version__}", f"pandas=={pd.__version__}"):
        assert package in needed
    assert any(line.startswith("skops==") for line in needed)
    assert any(line.startswith("mlflow==") for line in needed)


def test_nothing_is_pickled(loans, store, skops_file):
    save_explainer(loans[2], store / "why", model=skops_file)
    for path in (store / "why").rglob("*"):
        assert path.suffix in ("", ".npy", ".bin", ".json", ".yaml", ".txt", ".skops"), path
        assert path.is_dir() or path.read_bytes()[:1] != b"\x80"


@pytest.mark.parametrize("library", ["numpy", "polars", "category", "nullable"])
def test_frames_of_every_sort(store, library):
    import polars as pl

    X, y = datasets.make_loans(300)
    numbers = X[["income", "savings", "missed_payments"]]
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers.to_numpy(), y)

    def ask(frame):
        frame = pd.DataFrame(frame.to_dict(as_series=False)) if isinstance(frame, pl.DataFrame) else frame
        values = frame if isinstance(frame, np.ndarray) else frame.iloc[:, :3].astype(float).fillna(-1).to_numpy()
        return tree.predict_proba(values)

    if library == "numpy":
        background, rows = numbers.to_numpy(), numbers.astype(float).set_axis(["x0", "x1", "x2"], axis=1)
    elif library == "polars":
        background, rows = pl.from_dict(numbers.to_dict(orient="list")), numbers
    elif library == "category":
        background = rows = numbers.assign(job=X["employment"].astype("category"))
    else:
        background = rows = numbers.assign(income=numbers["income"].astype("Int64").mask(numbers["income"] < 15))
    explainer = Explainer(ask, background, class_names=["accepted", "rejected"])
    save_explainer(explainer, store / "why")
    signature = mlflow.models.get_model_info(str(store / "why")).signature
    mlflow.models.validate_schema(rows[:4], signature.inputs)  # it raises, if they do not fit
    table = RulesModel(load_explainer(store / "why", ask)).predict(rows[:4])
    one = background[:1] if library != "polars" else background.head(1)
    assert table.loc[table["row"] == 0, "rule"].tolist() == list(map(str, explainer.explain(one).rules))


def test_a_server_of_mlflow_answers_with_rules(loans, store, skops_file):
    from mlflow.pyfunc import scoring_server
    from starlette.testclient import TestClient

    X, _, explainer = loans
    save_explainer(explainer, store / "why", model=skops_file)
    rows = json.loads(X.iloc[:2].to_json(orient="split", index=False))
    assert None in rows["data"][1]  # a missing number
    asked = {"dataframe_split": rows, "params": {"k": 1}}
    with TestClient(scoring_server.init(mlflow.pyfunc.load_model(str(store / "why")))) as client:
        answer = client.post("/invocations", json=asked)
        assert answer.status_code == 200, answer.text
        rules = json.loads(answer.text)["predictions"]
    expected = [str(rule) for row in range(2) for rule in explainer.explain(X.iloc[[row]], k=1).rules]
    assert [rule["rule"] for rule in rules] == expected


def test_without_mlflow_an_error_says_what_to_install():
    program = (
        "import sys; sys.modules['mlflow'] = None\n"
        "from lormika.integrations.mlflow import load_explainer\n"
        "try: load_explainer('models:/a/1')\n"
        "except ValueError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    assert said.stdout == "this needs MLflow: pip install 'lormika[mlflow]'\n"
