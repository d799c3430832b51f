"""Groups of options: one parameter of a command's function stands for all options of a class.

What options there are, their defaults and their help texts stand with that class; here they become options of the
command line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from lormika.option import Option, Options, options_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from lormika.types import Keywords

_FEW = 2  # choices that the name of a value can list


@dataclass(frozen=True, slots=True)
class Given:
    """Options of the library: the parameter is a dict of those that were given, and the rest is left to the library."""

    panel: str
    defaults: Options  # what is shown as defaults
    without: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)  # what another option of the command is called already

    def parameters(self) -> Iterator[inspect.Parameter]:
        """An option of the command line for each."""
        for name, option in self._options():
            kind: Any = StrEnum(name, option.choices) if option.choices else option.type  # types made here
            hint, shown = Annotated[kind | None, self._option(name, option)], self.renamed.get(name, name)
            yield inspect.Parameter(shown, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)

    def _options(self) -> Iterator[tuple[str, Option]]:
        return ((n, option) for n, option in options_of(type(self.defaults)).items() if n not in self.without)

    def _option(self, name: str, option: Option) -> object:
        default = getattr(self.defaults, name) if option.unset is None else option.unset
        if option.type is bool:
            default = name.replace("_", "-") if default else f"no-{name.replace('_', '-')}"
        if not option.choices:
            return typer.Option(help=option.text, show_default=str(default), rich_help_panel=self.panel)
        few = len(option.choices) <= _FEW
        return typer.Option(
            metavar="|".join(option.choices) if few else name.upper(),
            help=option.text if few else f"{option.text} One of {', '.join(option.choices)}.",
            show_default=str(default),
            rich_help_panel=self.panel,
        )

    def gather(self, values: Keywords) -> Keywords:
        """The options that were given; wrong ones are refused before anything takes time."""
        given = {name: values[self.renamed.get(name, name)] for name, _ in self._options()}
        options = {name: _plain(value) for name, value in given.items() if value is not None}
        self.defaults.but(options)
        return options


@dataclass(frozen=True, slots=True)
class _Fields:
    """A class of the command line, each of whose fields is annotated as an option: the parameter is one of these."""

    kind: type[DataclassInstance]

    def parameters(self) -> Iterator[inspect.Parameter]:
        hints = get_type_hints(self.kind, include_extras=True)
        for one in fields(self.kind):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            yield inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[one.name]
            )

    def gather(self, values: Keywords) -> object:
        return self.kind(**{p.name: values[p.name] for p in self.parameters()})


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose groups are spelled out, as the command line needs it."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Given | _Fields] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        group = _group(hints[parameter.name])
        if group is None:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=kind))
        else:
            groups[parameter.name] = group
            parameters += group.parameters()
    grouped = {p.name for group in groups.values() for p in group.parameters()}

    def run(**values: object) -> None:
        single = {name: value for name, value in values.items() if name not in grouped}
        command(**single, **{name: group.gather(values) for name, group in groups.items()})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _group(hint: object) -> Given | _Fields | None:
    if get_origin(hint) is Annotated:
        return next((part for part in get_args(hint)[1:] if isinstance(part, Given)), None)
    return _Fields(hint) if isinstance(hint, type) and is_dataclass(hint) else None


def _plain(value: object) -> object:
    return value.value if isinstance(value, StrEnum) else value
