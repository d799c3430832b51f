"""run.json: everything that determines what a run's parts hold, and how two runs differ."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from lormika.errors import InputError
from lormika.types import JsonObject
from lormika.version import __version__

FORMAT, FORMAT_VERSION = "lormika.batch", 2  # 1 had conditions and changes as JSON text
_MODEL = {"source", "sha256", "trust", "allow_pickle", "isolate", "max_size", "memory_limit", "time_limit", "timeout"}


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that determines what a run's parts hold."""

    model: JsonObject  # how to load it, and the SHA-256 of its file
    background: str  # name of the folder of its arrays, which is made of their content
    input: str  # name of the file, which is made of its content
    rows: int
    chunk_rows: int
    options: JsonObject  # of the search
    settings: JsonObject  # of the explainer
    features: list[str]
    id: str | None  # column with names of the rows
    version: str = __version__
    order: JsonObject | None = field(default=None, compare=False)  # the command and the SHA-256 of its files

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.rows // self.chunk_rows)

    def rows_of(self, chunk: int) -> range:
        """Rows of the input that a chunk holds."""
        return range(chunk * self.chunk_rows, min((chunk + 1) * self.chunk_rows, self.rows))

    def to_json(self) -> str:
        """As run.json has it."""
        about = {"format": FORMAT, "format_version": FORMAT_VERSION}
        return json.dumps(about | asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Run:
        """The inverse of `to_json`."""
        content = json.loads(text)
        return cls(**{one.name: content[one.name] for one in fields(cls)})

    def follows(self, order: JsonObject) -> bool:
        """Whether it is what a command asks for, as far as the command says: the folder may have been tampered with."""
        return (
            self.order == order
            and self.model == order["model"]
            and self.options == order["options"]
            and self.id == order["choice"]["id"]
        )


def read_content(file: Path) -> JsonObject:
    """What run.json holds, as it is; another format is refused."""
    if not file.is_file():  # reading a pipe would never end
        raise InputError(f"{file.parent} is not the folder of a run: it has no run.json")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read, remove the folder: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{file} is not the start of a run")
    _check_format_version(file, content.get("format_version", 1))
    return content


def _check_format_version(file: Path, version: object) -> None:
    if version == FORMAT_VERSION:
        return
    if type(version) is not int:
        raise InputError(f"{file} is damaged, what it says of 'format_version' cannot be: remove the folder")
    writer, remedy = (
        ("an earlier", "explain the rows again in another folder, or use the lormika that made it")
        if version < FORMAT_VERSION
        else ("a later", "update lormika, or choose another folder")
    )
    raise InputError(
        f"{file.parent} holds a run of {writer} lormika, in format {version}; this one reads format {FORMAT_VERSION}: "
        f"{remedy}"
    )


def read_run(file: Path) -> Run:
    """The run that run.json is about."""
    content = read_content(file)
    del content["format"], content["format_version"]
    if content.get("version") != __version__:
        raise InputError(
            f"{file.parent} holds a run of another version of lormika, {content.get('version')}: choose another "
            "folder, or remove it"
        )
    if set(content) != {one.name for one in fields(Run)}:
        raise InputError(f"{file} is damaged: remove the folder")
    run = Run(**content)
    wrong = _wrong_fields(run)
    if wrong:
        raise InputError(f"{file} is damaged, what it says of {wrong[0]!r} cannot be: remove the folder")
    return run


def _wrong_fields(run: Run) -> list[str]:
    """Fields with values that no run has, such as a path out of the folder."""
    source, digest = (run.model.get(name) if isinstance(run.model, dict) else 0 for name in ("source", "sha256"))
    sound = {
        "model": isinstance(source, str) and isinstance(digest, str | None) and set(run.model) <= _MODEL,
        "background": _matches(r"background-[0-9a-f]{32}", run.background),
        "input": _matches(r"input-[0-9a-f]{32}\.parquet", run.input),
        "rows": type(run.rows) is int and run.rows > 0,
        "chunk_rows": type(run.chunk_rows) is int and run.chunk_rows > 0,
        "options": isinstance(run.options, dict),
        "settings": isinstance(run.settings, dict),
        "features": isinstance(run.features, list) and all(isinstance(name, str) for name in run.features),
        "id": isinstance(run.id, str | None),
        "order": isinstance(run.order, dict | None),
    }
    return [name for name, good in sound.items() if not good]


def _matches(pattern: str, name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(pattern, name) is not None


def differences(run: Run, other: Run) -> list[str]:
    """What differs, in the words of the command."""
    plain = {"model": "model", "features": "choice of columns", "id": "--id", "chunk_rows": "--chunk-rows"}
    words = [word for name, word in plain.items() if getattr(run, name) != getattr(other, name)]
    for name in ("options", "settings"):
        own, others = getattr(run, name), getattr(other, name)
        words += [_option(key) for key in sorted({*own, *others}) if own.get(key) != others.get(key)]
    follows = run.features != other.features or run.id != other.id  # the file then has other columns in any case
    if run.rows != other.rows or (run.input != other.input and not follows):
        words.append("data file or --where")
    if run.background != other.background and not words:  # else that follows from the rest
        words.append("background")
    return words


def _option(name: str) -> str:
    """A name as the command line has it.

    >>> _option("min_count"), _option("cuts")
    ('--min-count', '--cut')
    """
    return "--cut" if name == "cuts" else f"--{name.replace('_', '-')}"
