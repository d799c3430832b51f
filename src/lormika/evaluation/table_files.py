"""Tables as files: Markdown to read, CSV to compute with, LaTeX to print.

The formatting is done here rather than by pandas: its LaTeX needs a package, leaves captions and the signs |, <, ±
and − as they are, and has no multi-line heads and cells, without which the tables are too wide for a page; its Markdown
needs tabulate for what is a single join here.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from lormika.evaluation.published import REFERENCE
from lormika.evaluation.tables import Entry, Table, compared
from lormika.writing import whole_file

COLUMNS = (
    "measure", "dataset", "model", "explainer", "mean", "sd", "values", "failed", "paper_mean", "paper_sd",
)  # fmt: skip
IN_PAPER = {"lormika-paper": "lormika", "lormika": "lormika", "anchor": "anchor", "lore": "lore"}
"""Explainers: their names in the paper's tables. Of two with the same name, the first is nearer to the paper's."""

_ABOUT = """\
Mean ± standard deviation over instances, each the mean of its runs. The deviation is that of these instances
(population, not estimated). In brackets, the number of values behind the mean (explanations, but rules or instances
where the table is about them), and after a slash the explanations that failed or exceeded their time.
"""
_CAPTION = """\
Mean, standard deviation over these instances (population, not estimated), and in brackets the number of values behind
them and, after a slash, of explanations that failed.
"""
_SHARED = """\
Only instances that all explainers of a setting explained are counted, so that the figures beside each other rest on
the same predictions.
"""


def write_tables(tables: Sequence[Table], folder: str | Path, name: str = "tables") -> list[Path]:
    """Write tables to a folder, in all formats, and return the paths.

    Those named "shared" say that only instances that all explainers have in common are counted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:  # tables come from `make_tables`
    ...     [path.name for path in write_tables([], folder)]
    ['tables.md', 'tables.csv', 'tables.tex']
    """
    shared = name == "shared"
    texts = {"md": to_markdown(tables, shared=shared), "csv": to_csv(tables), "tex": to_latex(tables, shared=shared)}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, text in texts.items():
        path = folder / f"{name}.{ending}"
        with whole_file(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


def to_markdown(tables: Sequence[Table], *, shared: bool = False) -> str:
    """One section per table, after a comparison with the paper."""
    parts = ["# Evaluation\n", _ABOUT]
    if shared:
        parts.append(_SHARED)
    if any(map(_papers, tables)):
        parts.append(f"*Published* are the figures of: {REFERENCE}.\n")
    comparison = _comparison(tables)
    if comparison:
        parts.append("\n".join(comparison) + "\n")
    return "\n".join([*parts, *map(_section, tables)])


def _comparison(tables: Sequence[Table]) -> list[str]:
    lines = []
    for table in tables:
        good, total = compared(table, "lormika-paper")  # the others are not searched for the measure
        if total:
            side = "at or below" if table.measure.least_is_best else "at or above"
            lines.append(f"- {table.measure.title}, lormika-paper: {side} the published LoRMIkA in {good} of {total}")
    return lines


def _papers(table: Table) -> list[str]:
    """Explainers for which the paper has a figure in one of the settings shown."""
    return [name for name in table.papers if any(table.paper(*setting, name) for setting in table.settings)]


def _section(table: Table) -> str:
    heads = ["data", "model", *table.explainers, *(f"{name}, published" for name in _papers(table))]
    lines = [f"## {table.measure.title}\n", f"{table.measure.note}\n"]
    lines += [_row(heads), _row(["---"] * 2 + ["---:"] * (len(heads) - 2))]
    for setting in table.settings:
        lines.append(_row([*setting, *(" ".join(filter(None, parts)) for parts in _cells(table, *setting))]))
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _cells(table: Table, dataset: str, model: str) -> list[list[str]]:
    """For each explainer in a setting: mean, deviation, and what they rest on."""
    measured = [_entry(table.entries.get((dataset, model, name))) for name in table.explainers]
    return measured + [_published(table.paper(dataset, model, name)) for name in _papers(table)]


def _entry(entry: Entry | None) -> list[str]:
    if entry is None:
        return ["–"]
    rests_on = f"({entry.values}/{entry.failed})" if entry.failed else f"({entry.values})"
    if not entry.values:
        return ["–", "", rests_on]
    return [*_numbers(entry.mean, entry.sd, _digits(entry.mean)), rests_on]


def _published(pair: tuple[float, float] | None) -> list[str]:
    return ["–"] if pair is None else _numbers(*pair, digits=2)  # as the paper prints them


def _numbers(mean: float, sd: float, digits: int) -> list[str]:
    return [f"{mean:,.{digits}f}", "" if math.isnan(sd) else f"± {sd:,.{digits}f}"]


def _digits(mean: float) -> int:
    if mean == 0:
        return 2
    for digits, below in ((3, 0.1), (2, 100), (1, 1000)):
        if abs(mean) < below:
            return digits
    return 0


def to_csv(tables: Sequence[Table]) -> str:
    """One line per measure, setting and explainer.

    The paper's figures of LoRMIkA stand beside lormika and lormika-paper; explainers that the paper lacks have none.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for table in tables:
        for (dataset, model, explainer), entry in table.entries.items():
            name = IN_PAPER.get(explainer)
            paper = table.paper(dataset, model, name) if name else None
            numbers = (entry.mean, entry.sd, entry.values, entry.failed, *(paper or ("", "")))
            cells = ["" if isinstance(value, float) and math.isnan(value) else value for value in numbers]
            writer.writerow([table.measure.name, dataset, model, explainer, *cells])
    return text.getvalue()


def to_latex(tables: Sequence[Table], *, shared: bool = False) -> str:
    """Tables for a document; they need no package."""
    return "\n".join(_latex_table(table, shared) for table in tables)


def _latex_table(table: Table, shared: bool) -> str:
    papers = _papers(table)
    heads = [[name] for name in ("data", "model")] + [_broken(name) for name in (*table.explainers, *papers)]
    body = [_stacked([[dataset], [model], *_cells(table, dataset, model)]) for dataset, model in table.settings]
    over = rf" & & {_over(table.explainers, 'measured')} & {_over(papers, 'published')} \\"
    caption = f"{table.measure.title}. {_CAPTION} {_SHARED if shared else ''}"
    return "\n".join(
        [
            r"\begin{table}",
            r"\scriptsize",  # all settings and explainers on one page
            r"\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{_escape(' '.join(caption.split()))}}}",
            rf"\label{{tab:{'shared-' if shared else ''}{table.measure.name}}}",
            rf"\begin{{tabular}}{{ll{'c' * (len(heads) - 2)}}}",
            r"\hline",
            *([over] if papers else []),
            *_stacked(heads),
            r"\hline",
            *(line for lines in body for line in lines),
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _broken(name: str) -> list[str]:
    """A name in lines, broken after each hyphen."""
    return name.replace("-", "-\n").split("\n")


def _over(names: Sequence[str], text: str) -> str:
    return rf"\multicolumn{{{len(names)}}}{{c}}{{{text}}}"


def _stacked(cells: Sequence[Sequence[str]]) -> list[str]:
    """One row in several lines: side by side, cells would be too wide for a page."""
    return [" & ".join(map(_escape, line)) + r" \\" for line in zip_longest(*cells, fillvalue="")]


_SIGNS = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "|": "$|$", "<": "$<$", ">": "$>$", "±": r"$\pm$", "−": "$-$", "–": "--",
} | {sign: f"\\{sign}" for sign in "{}$&%#_"}  # fmt: skip


def _escape(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)
