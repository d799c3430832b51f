"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli.flags import RENAMED
from lormika.cli.groups import Given
from lormika.cli.output import Talk, model_prints_aside
from lormika.options import Objective, SearchOptions, Settings
from lormika.types import Keywords, UserModel

if TYPE_CHECKING:
    from lormika.data import Table

SEARCH, NEIGHBOURHOOD, MODEL, DATA, OUTPUT = "Rules", "Neighbourhood", "Model", "Data", "Output"


class Preset(StrEnum):
    """Defaults of all other options."""

    DEFAULT = "default"
    PAPER = "paper"


# What to explain

Data = Annotated[Path, typer.Argument(help="Data file: CSV, Parquet, Arrow, JSON lines; also .gz.")]
ModelSource = Annotated[
    str,
    typer.Option(help="File (.skops, .onnx, .pkl, .joblib), python:module:name, or http://host/v2/models/name."),
]
Target = Annotated[str | None, typer.Option(help="Label column, excluded from the features.")]
Background = Annotated[Path | None, typer.Option(help="Data file to find similar rows in.", show_default="DATA itself")]

# Rules

_MEASURES = f"Measure that ranks rules: {', '.join(Objective)}"
OneObjective = Annotated[
    Objective, typer.Option("--objective", metavar="MEASURE", help=f"{_MEASURES}.", rich_help_panel=SEARCH)
]
Objectives = Annotated[
    list[Objective],
    typer.Option(
        "--objective",
        metavar="MEASURE",
        help=f"{_MEASURES}; repeat to get the rules for each.",
        rich_help_panel=SEARCH,
    ),
]
K = Annotated[int, typer.Option("--k", help="How many rules.", rich_help_panel=SEARCH)]
Search = Annotated[Keywords, Given(SEARCH, SearchOptions(), renamed=RENAMED)]
SearchForEach = Annotated[Keywords, Given(SEARCH, SearchOptions(), ("objective",), RENAMED)]
SearchOfMany = Annotated[Keywords, Given(SEARCH, SearchOptions(), ("n_jobs",), RENAMED)]  # workers share the processors
PresetOf = Annotated[
    Preset,
    typer.Option(
        "--preset",
        metavar="default|paper",
        help="paper: the paper's settings for all that is not given.",
        rich_help_panel=SEARCH,
    ),
]
Cut = Annotated[
    list[str],
    typer.Option(
        metavar="NAME=POINTS",
        help="Cut points of a numeric feature, such as age=25,45. Repeatable.",
        rich_help_panel=SEARCH,
    ),
]
Around = Annotated[Keywords, Given(NEIGHBOURHOOD, Settings())]

# Data

Drop = Annotated[
    list[str],
    typer.Option(metavar="COLUMN", help="Column to exclude from the features. Repeatable.", rich_help_panel=DATA),
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How data files are read."""

    categorical: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN",
            help="Column of categories, even if it holds numbers. Repeatable.",
            rich_help_panel=DATA,
        ),
    ] = field(default_factory=list)
    delimiter: Annotated[
        str | None,
        typer.Option(help="Between columns of a text file.", show_default="detected", rich_help_panel=DATA),
    ] = None
    missing: Annotated[
        list[str],
        typer.Option(
            "--missing",
            metavar="TEXT",
            help="Text for a missing value. Repeatable.",
            show_default="empty, ?, NA, null …",
            rich_help_panel=DATA,
        ),
    ] = field(default_factory=list)
    encoding: Annotated[
        str | None, typer.Option(help="Of a text file.", show_default="utf-8", rich_help_panel=DATA)
    ] = None

    def open(self, path: Path, talk: Talk) -> Table:
        """Read a data file, and say what was found out; texts that are named as categorical get that type."""
        from lormika.data import read_table

        with talk.working(f"Reading {path}"):
            table = read_table(path, delimiter=self.delimiter, missing=self.missing or None, encoding=self.encoding)
        texts = [name for name in self.categorical if table.types.get(name) == "text"]
        if texts:
            table = replace(table, frame=table.frame.astype(dict.fromkeys(texts, "category")))
        for note in table.notes:
            talk.warn(f"Note: {note}")
        return table


# Model

ClassName = Annotated[
    list[str],
    typer.Option(metavar="NAME", help="Name of a class, in the model's order. Repeat for each.", rich_help_panel=MODEL),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="Of two classes: the second is predicted if its probability is at least this.",
        show_default="the model's own labels",
        rich_help_panel=MODEL,
    ),
]
Bands = Annotated[
    str | None,
    typer.Option(
        metavar="EDGES|around",
        help="Of a regressor: edges of bands of its values, such as 100,200; or around: below, about and above each "
        "value (around=10: by at least 10).",
        show_default="none: a classifier",
        rich_help_panel=MODEL,
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="TOML or JSON file with names, units, decimals and texts for people: see docs/labels.md.",
        rich_help_panel=OUTPUT,
    ),
]
Header = Annotated[
    list[str],
    typer.Option(
        metavar="HEADER",
        help="Header for a server: 'Authorization: env:NAME', whose value is a variable of the environment, "
        "'Authorization: file:PATH', the content of a file, or the value itself, which others can see in the list of "
        "processes. Repeatable.",
        rich_help_panel=MODEL,
    ),
]


@dataclass(frozen=True, slots=True)
class Loading:
    """How a model is loaded."""

    trust: Annotated[
        list[str],
        typer.Option(
            metavar="TYPE", help="Further type that a skops file may hold. Repeatable.", rich_help_panel=MODEL
        ),
    ] = field(default_factory=list)
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load a pickle, which runs the code it holds.", rich_help_panel=MODEL)
    ] = False
    max_size: Annotated[
        int, typer.Option(metavar="MB", help="Most megabytes of a model file, unpacked.", min=1, rich_help_panel=MODEL)
    ] = 500
    isolate: Annotated[
        bool,
        typer.Option(
            "--isolate",
            help="Run the model in a process of its own, with memory and time limits.",
            rich_help_panel=MODEL,
        ),
    ] = False
    memory_limit: Annotated[
        int | None,
        typer.Option(
            metavar="MB", help="Megabytes of an isolated model.", show_default="4096", min=1, rich_help_panel=MODEL
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Seconds for each call of an isolated model, or of a server.",
            show_default="120",
            rich_help_panel=MODEL,
        ),
    ] = None

    def keywords(self) -> Keywords:
        """As `models.load` takes them; limits that were not given are its own."""
        limits: Keywords = {}
        if self.memory_limit is not None:
            limits["memory_limit"] = self.memory_limit << 20
        if self.time_limit is not None:
            limits |= {"time_limit": self.time_limit, "timeout": self.time_limit}
        return {
            "trust": self.trust,
            "allow_pickle": self.allow_pickle,
            "isolate": self.isolate,
            "max_size": self.max_size * 1_000_000,
        } | limits

    def warn(self, source: str, talk: Talk) -> None:
        """Say what loading a pickle means, and which one it is."""
        from lormika import models

        is_file = "://" not in source and not source.startswith("python:")
        if self.allow_pickle and is_file and Path(source).is_file():
            talk.warn(f"{source}: a pickle runs the code it holds. SHA-256 {models.sha256(Path(source))}")

    @contextmanager
    def open(self, source: str, headers: Sequence[str], talk: Talk) -> Iterator[UserModel]:
        """Load a model; an isolated one ends with the block. What it prints goes to standard error."""
        from lormika import models
        from lormika.models.headers import read_headers

        if self.memory_limit is not None and not self.isolate:
            raise typer.BadParameter("--memory-limit goes with --isolate")
        if self.time_limit is not None and not self.isolate and "://" not in source:
            raise typer.BadParameter("--time-limit goes with --isolate, or with a server")
        self.warn(source, talk)
        with talk.working(f"Loading {source}"), model_prints_aside():
            model = models.load(source, headers=read_headers(headers), **self.keywords())
        try:
            yield model
        finally:
            if hasattr(model, "close"):
                model.close()


# Output

Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.", rich_help_panel=OUTPUT)]


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File to write, by its suffix.", show_default="the terminal", rich_help_panel=OUTPUT
        ),
    ] = None
    json: Json = False

    def check(self, *, is_explanation: bool) -> None:
        """Refuse what could not be written, before any work is done for it."""
        if self.out is None:
            return
        if self.json:
            raise typer.BadParameter("--json prints; --out writes a file (JSON, if it ends in .json): choose one")
        from lormika.views.saving import check_path, check_rules_path

        (check_path if is_explanation else check_rules_path)(self.out)
