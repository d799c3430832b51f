"""Options of a letter: its template, what only the sender knows, and where it goes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli.arguments import check_outputs

if TYPE_CHECKING:
    from lormika.cli.output import Talk
    from lormika.explanation import Explanation
    from lormika.fingerprint import Fingerprint

PANEL = "Letter"


class Paper(StrEnum):
    """Sizes of paper."""

    A4 = "A4"
    LETTER = "letter"


@dataclass(frozen=True, slots=True)
class Writing:
    """What a letter says beside the explanation, and how."""

    template: Annotated[
        str,
        typer.Option(help="adverse-action, explanation, or a Jinja file: see docs/letters.md.", rich_help_panel=PANEL),
    ] = "adverse-action"
    codes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV or TOML file: what to say of which features.", rich_help_panel=PANEL),
    ] = None
    top: Annotated[int, typer.Option(help="Most reasons, up to 4.", rich_help_panel=PANEL)] = 4
    field: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=TEXT",
            help="sender, recipient, reference, subject, greeting, decision, notice, contact or signature; \\n begins "
            "a new line. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = field(default_factory=list)
    time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Date of the letter: 2026-03-01.", show_default="no date", rich_help_panel=PANEL
        ),
    ] = None
    paper: Annotated[Paper, typer.Option(metavar="A4|letter", help="Size of the page.", rich_help_panel=PANEL)] = (
        Paper.A4
    )
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file for the record.", rich_help_panel=PANEL)
    ] = None

    def check(self, out: Path, inputs: Iterable[str | Path | None]) -> None:
        """Refuse what could not be written, before any work is done for it."""
        from lormika.views.letter_fields import read_fields, read_time
        from lormika.views.letter_templates import Template
        from lormika.views.saving import check_letter_path

        if self.record is not None and self.record.suffix.lower() != ".json":
            raise typer.BadParameter(f"{self.record}: a record is a .json file", param_hint="--record")
        if self.record is not None and self.record.absolute() == out.absolute():
            raise typer.BadParameter("--record and --out name the same file")
        outputs = [out, *([] if self.record is None else [self.record])]
        for path in outputs:
            check_letter_path(path)
        read_time(self.time)
        read_fields(self.fields(), Template.of(self.template).is_own)
        check_outputs(outputs, [*inputs, self.codes, self.template])

    def fields(self) -> dict[str, str]:
        r"""Fields by their names.

        >>> Writing(field=[r"recipient=Ms Doe\n1 High Street"]).fields()
        {'recipient': 'Ms Doe\n1 High Street'}
        """
        found: dict[str, str] = {}
        for text in self.field:
            name, equals, value = text.partition("=")
            if not equals or not name:
                raise typer.BadParameter(f"{text!r} is not of the form recipient=Ms Doe", param_hint="--field")
            if name in found:
                raise typer.BadParameter(f"{name!r} is given twice", param_hint="--field")
            found[name] = value.replace("\\n", "\n")
        return found

    def write(self, explanation: Explanation, fingerprint: Fingerprint, out: Path, talk: Talk) -> None:
        """Write the files, and say what is still to be filled in."""
        letter = explanation.letter(
            self.template, codes=self.codes, top=self.top, fields=self.fields(), time=self.time,
            fingerprint=fingerprint, paper=self.paper.value,
        )  # fmt: skip
        if not letter.record["reasons"]:
            talk.warn("Note: no principal reason was found, and the letter says so")
        if letter.placeholders:
            options = " ".join(f'--field {name}="…"' for name in letter.placeholders)
            talk.warn(f"Note: the letter has placeholders: fill them in with {options}")
        for path in [out, *([] if self.record is None else [self.record])]:
            talk.say(f"written: {letter.save(path)}")
