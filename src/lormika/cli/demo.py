"""lormika demo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from lormika.cli import parameters as p
from lormika.cli.output import Talk, show
from lormika.errors import InputError
from lormika.options import Objective
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

    from lormika.explanation import Explanation
    from lormika.types import UserModel
    from lormika.views.layout import Block

_MOST_TRAINING_ROWS = 20_000  # a demonstration is over in seconds
_MOST_ROWS_OF_SVM = 4_000  # whose time grows with the square of the rows
_CANDIDATES = 100  # instances among which one is chosen
_TYPICAL_LOAN = 1091  # its reason is one of three that make_loans has: no work and few savings


class Dataset(StrEnum):
    """Tables to demonstrate with."""

    LOANS = "loans"
    GERMAN = "german"
    ADULT = "adult"
    COMPAS = "compas"
    COVERTYPE = "covertype"


class Learner(StrEnum):
    """Models of the paper."""

    RF = "rf"
    LR = "lr"
    TREE = "tree"
    SVM = "svm"
    MLP = "mlp"


_NEXT = """\
  lormika demo --objective confidence --k 5
  lormika explain --help
  or in Python, for a model of yours:
    from lormika import Explainer
    print(Explainer(model, X_train).explain(X_test.iloc[[0]]))"""

_LEARNERS = {
    Learner.RF: "a random forest",
    Learner.LR: "a logistic regression",
    Learner.TREE: "a decision tree",
    Learner.SVM: "a support vector machine",
    Learner.MLP: "a neural network",
}


def demo(
    dataset: Annotated[Dataset, typer.Option(help="Made-up loans, or a data set of the paper.")] = Dataset.LOANS,
    model: Annotated[Learner, typer.Option(help="Which model to train.")] = Learner.RF,
    row: Annotated[int | None, typer.Option(help="Row to explain, from 0.", show_default="a typical one")] = None,
    objective: p.OneObjective = Objective.LEVERAGE,
    k: p.K = 2,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the report.")] = Path("lormika-demo.html"),
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    export: Annotated[
        Path | None, typer.Option(help="Folder to write the data (.csv) and the model (.skops) to, to go on with.")
    ] = None,
    quiet: p.Quiet = False,
) -> None:
    """Train a model and explain one of its predictions, by default of a made-up loan application.

    For example:

        lormika demo --open

        lormika demo --dataset german --model lr --objective confidence
    """
    from lormika.views.saving import check_path

    check_path(out)
    talk = Talk(quiet)
    trained = _train(dataset, model, row, talk)
    if export is not None:
        _export(trained, dataset, export, talk)
    with talk.working("Explaining"):
        from lormika.explainer import Explainer

        explanation = Explainer(trained.model, trained.background).explain(trained.x, k=k, objective=objective.value)
    # Written before anything is printed: whoever reads only the first lines of it still has the report.
    report = explanation.save(out).resolve()
    show(_parts(dataset, explanation, None if quiet else report))
    if open_report:
        typer.launch(report.as_uri())


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    """A model, the rows it was trained on, and an instance it has not seen."""

    model: UserModel
    table: pd.DataFrame  # all rows, with the target
    background: pd.DataFrame
    x: pd.DataFrame


def _train(dataset: Dataset, learner: Learner, row: int | None, talk: Talk) -> _Trained:
    with talk.working(f"Loading {dataset}"):
        from lormika.data import datasets, select_rows

        X, y = datasets.load(dataset.value)
        train_X, test_X, train_y, _ = datasets.split(X, y)
    n_rows = min(len(train_X), _MOST_ROWS_OF_SVM if learner == Learner.SVM else _MOST_TRAINING_ROWS)
    with talk.working(f"Training {_LEARNERS[learner]} on {n_rows:,} rows"):
        model = datasets.make_model(learner.value, train_X).fit(train_X[:n_rows], train_y[:n_rows])
    if row is None:
        row = _TYPICAL_LOAN if dataset == Dataset.LOANS else _rarely_predicted(model, test_X[:_CANDIDATES])
    return _Trained(model, X.assign(**{str(y.name): y}), train_X, select_rows(X, [row]))


def _rarely_predicted(model: UserModel, candidates: pd.DataFrame) -> int:
    """The first row with the decision that people ask about."""
    predictions = model.predict(candidates)
    labels, counts = np.unique(predictions, return_counts=True)
    return int(candidates.index[(predictions == labels[counts.argmin()]).argmax()])


def _export(trained: _Trained, dataset: Dataset, folder: Path, talk: Talk) -> None:
    """Write a data file and a model file to go on with."""
    try:
        from skops import io
    except ImportError:
        raise InputError("--export needs skops: pip install 'lormika[models]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    data, model = folder / f"{dataset}.csv", folder / f"{dataset}.skops"
    with whole_file(data) as beside:
        trained.table.to_csv(beside, index=False)
    with whole_file(model) as beside:
        io.dump(trained.model, beside)
    talk.say(f"written: {data} and {model}")


def _parts(dataset: Dataset, explanation: Explanation, report: Path | None) -> Iterator[Block]:
    """The instance, its explanation, and where to go from there."""
    from lormika.frames.values import format_value
    from lormika.views import text
    from lormika.views.layout import Paragraph, Unbroken

    values = ", ".join(f"{name} {format_value(value)}" for name, value in explanation.instance.items())
    title = "A loan application" if dataset == Dataset.LOANS else f"A row of {dataset}"
    yield Paragraph((title, "bold"))
    yield Paragraph((f"  {values}\n", ""))
    yield from text.blocks(explanation)
    if report is not None:
        yield Paragraph(("\nThe same with pictures", "bold"))
        yield Unbroken(f"  {report}")
        yield Paragraph(("\nTry next", "bold"))
        yield Paragraph((_NEXT, ""))
