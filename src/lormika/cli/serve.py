"""lormika serve."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.changes import Changing
from lormika.cli.groups import with_groups
from lormika.cli.output import Talk, model_prints_aside

if TYPE_CHECKING:
    from types import ModuleType

    from lormika.cli.served import Subject
    from lormika.types import Keywords

_SERVER = "Server"
_HOW = (
    "give a data file and a model, such as: lormika serve loans.csv --model loans.skops; "
    "or, to look at made-up loans: lormika serve --demo"
)


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how long to serve."""

    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at; another than this machine's own needs --token.", rich_help_panel=_SERVER
        ),
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option(help="0: a free one.", min=0, max=65535, rich_help_panel=_SERVER)] = 0
    token: Annotated[
        str | None,
        typer.Option(
            help="What everybody needs who may ask. 'env:NAME' is a variable of the environment, 'file:PATH' the "
            "content of a file; the value itself can be seen in the list of processes.",
            show_default="drawn at random",
            rich_help_panel=_SERVER,
        ),
    ] = None
    known_as: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST", help="Further name of this machine in addresses. Repeatable.", rich_help_panel=_SERVER
        ),
    ] = None
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.", rich_help_panel=_SERVER)] = (
        True
    )
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Record what is asked, values included, as JSON lines.", rich_help_panel=_SERVER
        ),
    ] = None
    most: Annotated[int, typer.Option(help="Answers in the making at once.", min=1, rich_help_panel=_SERVER)] = 32
    answer_limit: Annotated[float, typer.Option(help="Seconds for one answer.", min=0.1, rich_help_panel=_SERVER)] = (
        30.0
    )

    def secret(self) -> str | None:
        """The token itself."""
        from lormika.models.headers import read_secret

        return None if self.token is None else read_secret("--token", self.token)


@with_groups
def serve(
    data: Annotated[
        Path | None, typer.Argument(help="Data file: CSV, Parquet, Arrow, JSON lines; also .gz.", show_default=False)
    ] = None,
    *,
    model: Annotated[
        str | None,
        typer.Option(help="File (.skops, .onnx, .pkl, .joblib), python:module:name, or http://host/v2/models/name."),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Made-up loans, and a model that is trained on them.")] = False,
    target: p.Target = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with names of the rows.")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column that says which rows are newest.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Of the model, for programs.", show_default="that of its file")
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(
            help="Data file to find similar rows in, or a folder of a saved explainer.", show_default="DATA itself"
        ),
    ] = None,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process",
            help="Run the model in the server itself: a little quicker, but if it crashes, so does the server.",
            rich_help_panel=p.MODEL,
        ),
    ] = False,
    drop: p.Drop = [],
    reading: p.Reading,
    serving: Serving,
    changing: Changing,
    cut: p.Cut = [],
    around: p.Around,
    class_name: p.ClassName = [],
    threshold: p.Threshold = None,
    labels: p.LabelsFile = None,
    loading: p.Loading,
    header: p.Header = [],
    quiet: p.Quiet = False,
) -> None:
    """Open a page in the browser on which the rows of a data file can be asked about.

    For example:

        lormika serve --demo

        lormika serve loans.csv --model loans.skops --target decision

        lormika serve loans.csv --model loans.skops --background saved/ --port 8080 --no-browser
    """
    if demo == (data is not None) or demo == (model is not None):
        raise typer.BadParameter(_HOW)
    talk = Talk(quiet)
    talk.say("Training a model on made-up loans …" if demo else f"Reading {data} and loading {model} …")
    from lormika import serving as page

    launch = page.require()
    token = serving.secret()
    launch.check_token(serving.host, token)
    settings: Keywords = around | {
        "class_names": class_name or None, "categorical": reading.categorical or None, "threshold": threshold,
        "labels": arguments.read_labels(labels), "constraints": changing.keywords().get("constraints"),
    }  # fmt: skip
    with model_prints_aside():
        from lormika.cli import served
        from lormika.serving.rowtable import Roles

        if data is None or model is None:
            _run(launch, served.demo(settings, talk), serving, token, talk)
            return
        roles = Roles(id, target, time)
        files = served.Files(data, model, background, roles, drop, name, in_process, serving.answer_limit)
        with files.open(reading, loading, header, settings, cut, talk) as subject:
            _run(launch, subject, serving, token, talk)


def _run(launch: ModuleType, subject: Subject, serving: Serving, token: str | None, talk: Talk) -> None:
    """Serve until interrupted."""
    from lormika.serving.limits import Limits
    from lormika.serving.record import Record
    from lormika.serving.service import Service

    limits = Limits(seconds=serving.answer_limit, most=serving.most)
    record = Record(serving.log)
    service = Service(subject.explainer, subject.rows, subject.about, limits, record, subject.interrupt)
    place = {"host": serving.host, "port": serving.port, "token": token, "names": serving.known_as or ()}
    with launch.Server(service, **place) as server, suppress(KeyboardInterrupt):
        typer.echo(server.address, file=sys.__stdout__)
        if serving.host not in ("127.0.0.1", "localhost", "::1"):
            talk.warn(
                f"Note: other machines can reach this server at {serving.host}:{server.port}. Everybody who has the "
                "token can ask about every row, and what is sent can be read on the way, since it is plain HTTP: put a "
                "proxy with TLS before it."
            )
        talk.say("Ctrl+C ends it.")
        if serving.browser:
            server.open()
        server.wait()
