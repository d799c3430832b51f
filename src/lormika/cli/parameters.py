"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lormika.options import Correction, Filter, Objective

SEARCH, NEIGHBOURHOOD, MODEL, DATA, OUTPUT = "Rules", "Neighbourhood", "Model", "Data", "Output"


class Thin(StrEnum):
    """What a class with too many neighbours keeps."""

    NEAREST = "nearest"
    RANDOM = "random"


class Design(StrEnum):
    """How generated rows are spread."""

    EVEN = "even"
    RANDOM = "random"


class Preset(StrEnum):
    """Defaults of all other options."""

    DEFAULT = "default"
    PAPER = "paper"


class Weight(StrEnum):
    """What a rule's measure counts times."""

    EFFECT = "effect"
    NONE = "none"


class Per(StrEnum):
    """What k counts."""

    CATEGORY = "category"
    OVERALL = "overall"


# Rules

K = Annotated[int, typer.Option("--k", help="How many rules.", rich_help_panel=SEARCH)]
_MEASURES = "support, coverage, confidence, lift or leverage"
OneObjective = Annotated[
    Objective,
    typer.Option("--objective", metavar="MEASURE", help=f"Best by {_MEASURES}.", rich_help_panel=SEARCH),
]
Objectives = Annotated[
    list[Objective],
    typer.Option(
        "--objective",
        metavar="MEASURE",
        help=f"Best by {_MEASURES}; more than once: the rules for each.",
        rich_help_panel=SEARCH,
    ),
]
MostConditions = Annotated[int, typer.Option(help="Most conditions of a rule, up to 6.", rich_help_panel=SEARCH)]
MaxConditions = Annotated[
    int | None, typer.Option(help="Most conditions of a rule, up to 6.", show_default="3", rich_help_panel=SEARCH)
]
Confirm = Annotated[
    bool | None,
    typer.Option(
        "--confirm/--no-confirm",
        help="Show only rules that are true of the row: the model is asked about changes of it.",
        show_default="confirm",
        rich_help_panel=SEARCH,
    ),
]
WeightBy = Annotated[
    Weight | None,
    typer.Option(
        "--weight",
        metavar="effect|none",
        help="Rank by the measure times the least effect of a rule's features, or by the measure alone.",
        show_default="effect, if confirmed",
        rich_help_panel=SEARCH,
    ),
]
PresetOf = Annotated[
    Preset,
    typer.Option(
        "--preset",
        metavar="default|paper",
        help="paper: the paper's settings for all that is not given.",
        rich_help_panel=SEARCH,
    ),
]
MinCount = Annotated[int, typer.Option(help="Fewest rows a rule must match.", rich_help_panel=SEARCH)]
M = Annotated[
    float,
    typer.Option("--m", help="m-estimate: tames confidence and lift of rules with few rows.", rich_help_panel=SEARCH),
]
_FILTERS = "Which rules may enter: none, nonredundant, productive or significant; each implies the one before."
AnyFilter = Annotated[Filter, typer.Option("--filter", metavar="FILTER", help=_FILTERS, rich_help_panel=SEARCH)]
FilterBy = Annotated[
    Filter | None,
    typer.Option(
        "--filter",
        metavar="FILTER",
        help=_FILTERS,
        show_default="significant",
        rich_help_panel=SEARCH,
    ),
]
Alpha = Annotated[float, typer.Option(help="Level of the filter significant.", rich_help_panel=SEARCH)]
Correct = Annotated[
    Correction,
    typer.Option(
        "--correction",
        metavar="CORRECTION",
        help="Of that level for the number of rules tried: none, bonferroni or layered.",
        rich_help_panel=SEARCH,
    ),
]
PerWhat = Annotated[
    Per | None,
    typer.Option(
        "--per",
        metavar="PER",
        help="k rules of each of the four kinds (category), or overall.",
        show_default="category",
        rich_help_panel=SEARCH,
    ),
]
Bins = Annotated[int, typer.Option(help="Ranges of each numeric feature.", rich_help_panel=SEARCH)]
Cut = Annotated[
    list[str],
    typer.Option(
        metavar="NAME=POINTS",
        help="Cut points of a numeric feature, such as age=25,45. Repeatable.",
        rich_help_panel=SEARCH,
    ),
]

# Neighbourhood

MinNeighbours = Annotated[
    int, typer.Option(help="Similar rows of each class, at least.", rich_help_panel=NEIGHBOURHOOD)
]
MaxNeighbours = Annotated[int, typer.Option(help="Similar rows of a class, at most.", rich_help_panel=NEIGHBOURHOOD)]
KernelWidth = Annotated[
    float | None,
    typer.Option(
        help="Width of the similarity that is reported.", show_default="by features", rich_help_panel=NEIGHBOURHOOD
    ),
]
ThinBy = Annotated[
    Thin | None,
    typer.Option(
        "--thin",
        metavar="nearest|random",
        help="What a class with too many keeps.",
        show_default="nearest",
        rich_help_panel=NEIGHBOURHOOD,
    ),
]
NAsked = Annotated[
    int | None,
    typer.Option(
        help="Most changes of the row that the model is asked about at a time.",
        show_default="2000",
        rich_help_panel=NEIGHBOURHOOD,
    ),
]
NGenerated = Annotated[int, typer.Option(help="Rows to generate.", rich_help_panel=NEIGHBOURHOOD)]
DesignOf = Annotated[
    Design | None,
    typer.Option(
        "--design",
        metavar="even|random",
        help="How they are spread: evenly, or drawn with the seed.",
        show_default="even",
        rich_help_panel=NEIGHBOURHOOD,
    ),
]
Snap = Annotated[
    bool | None,
    typer.Option(
        "--snap/--no-snap",
        help="Generated numbers are values of the data.",
        show_default="snap",
        rich_help_panel=NEIGHBOURHOOD,
    ),
]
RandomState = Annotated[int, typer.Option(help="Seed of what is random.", rich_help_panel=NEIGHBOURHOOD)]

# Data

Drop = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Column that is no feature. Repeatable.", rich_help_panel=DATA)
]
Categorical = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Column of categories: a numeric one is taken for it; a text gets the category type. Repeatable.",
        rich_help_panel=DATA,
    ),
]
Delimiter = Annotated[
    str | None, typer.Option(help="Between columns of a text file.", show_default="found out", rich_help_panel=DATA)
]
MissingToken = Annotated[
    list[str],
    typer.Option(
        "--missing",
        metavar="TEXT",
        help="Text for a missing value. Repeatable.",
        show_default="empty, ?, NA, null …",
        rich_help_panel=DATA,
    ),
]
Encoding = Annotated[str | None, typer.Option(help="Of a text file.", show_default="utf-8", rich_help_panel=DATA)]

# Model

Trust = Annotated[
    list[str],
    typer.Option(metavar="TYPE", help="Further type that a skops file may hold. Repeatable.", rich_help_panel=MODEL),
]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Load a pickle, which runs the code it holds.", rich_help_panel=MODEL)
]
Isolate = Annotated[
    bool,
    typer.Option("--isolate", help="Run the model in a process of its own, with limits.", rich_help_panel=MODEL),
]
MaxSize = Annotated[
    int, typer.Option(metavar="MB", help="Most megabytes of a model file, unpacked.", min=1, rich_help_panel=MODEL)
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
MemoryLimit = Annotated[
    int | None,
    typer.Option(
        metavar="MB", help="Megabytes of an isolated model.", show_default="4096", min=1, rich_help_panel=MODEL
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        help="Seconds for each call of an isolated model, or of a server.", show_default="120", rich_help_panel=MODEL
    ),
]
ClassName = Annotated[
    list[str],
    typer.Option(metavar="NAME", help="Name of a class, in the model's order. Repeat for each.", rich_help_panel=MODEL),
]

# Output

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="File to write, by its suffix.", show_default="the terminal", rich_help_panel=OUTPUT
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.", rich_help_panel=OUTPUT)]
Figures = Annotated[
    bool, typer.Option("--figures", help="Print lift, leverage and counts of every rule.", rich_help_panel=OUTPUT)
]


def chosen(**options: Any) -> dict[str, Any]:
    """Options that were given, as plain values; the others are left to the defaults.

    >>> chosen(k=3, filter=None, thin=Thin.RANDOM)
    {'k': 3, 'thin': 'random'}
    """
    return {name: getattr(value, "value", value) for name, value in options.items() if value is not None}
