"""The command line: parse, call, print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.errors import InputError, ModelError
from lormika.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from lormika.values import Scalar

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Explain single predictions with the best if-then rules around them.",
)


def main() -> None:
    """Run the command line; an error of the user's is one line, not a traceback."""
    try:
        app()
    except (InputError, ModelError, OSError) as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise SystemExit(1) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lormika {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Explain single predictions with the best if-then rules around them."""


@app.command()
def demo(
    objective: Annotated[
        str, typer.Option(help="Best by which measure: support, coverage, confidence, lift or leverage.")
    ] = "leverage",
    k: Annotated[int, typer.Option(help="How many rules of each kind.")] = 2,
    out: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("lormika-demo.html"),
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Explain one rejected loan application, with a random forest trained on synthetic data."""
    from rich.console import Console

    from lormika.views import text

    console = Console(highlight=False, emoji=False)
    with console.status("Training a random forest on 2,000 made-up loan applications …"):
        from sklearn.compose import make_column_selector, make_column_transformer
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        from lormika import Explainer, datasets

        X, y = datasets.make_loans()
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=["category", "object", "str"])),
            remainder="passthrough",
        )
        model = make_pipeline(encode, RandomForestClassifier(random_state=0)).fit(X[100:], y[100:])
        explainer = Explainer(model, X[100:])
    x = X[:100][model.predict(X[:100]) == "rejected"].iloc[[0]]
    explanation = explainer.explain(x, k=k, objective=objective)
    _print_instance(console, explanation.instance)
    for part in text.renderables(explanation.to_dict()):
        console.print(part)
    report = explanation.save(out).resolve()
    console.print("\nThe same with pictures", style="bold")
    console.print(f"  {report}", soft_wrap=True, markup=False)
    _print_next(console)
    if open_report:
        typer.launch(report.as_uri())


def _print_instance(console: Console, instance: Mapping[str, Scalar | None]) -> None:
    from lormika.values import format_value

    console.print("A loan application", style="bold")
    console.print("  " + ", ".join(f"{name} {format_value(value)}" for name, value in instance.items()) + "\n")


def _print_next(console: Console) -> None:
    console.print("\nTry next", style="bold")
    console.print("  lormika demo --objective confidence --k 5")
    console.print("  or, for a model of yours, in Python:")
    console.print("    from lormika import Explainer")
    console.print("    print(Explainer(model, X_train).explain(X_test.iloc[[0]]))", markup=False)
