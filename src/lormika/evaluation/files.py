"""Tables as files: Markdown to read, CSV to compute with, LaTeX to print, and a figure of each."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from lormika.evaluation.plan import MODELS
from lormika.evaluation.published import REFERENCE
from lormika.evaluation.tables import Entry, Table, compared
from lormika.writing import whole_file

COLUMNS = (
    "measure", "dataset", "model", "explainer", "mean", "sd", "explanations", "failed", "paper_mean", "paper_sd",
)  # fmt: skip


def write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write tables into a folder, in all formats, and give the paths."""
    texts: dict[str, Callable[[Sequence[Table]], str]] = {
        "tables.md": to_markdown, "tables.csv": to_csv, "tables.tex": to_latex
    }  # fmt: skip
    written = []
    for name, to_text in texts.items():
        path = folder / name
        with whole_file(path) as beside:
            beside.write_text(to_text(tables), encoding="utf-8")
        written.append(path)
    return written


def to_markdown(tables: Sequence[Table]) -> str:
    """One section for each table, after a comparison with the paper."""
    parts = ["# Evaluation\n", _about(tables), *map(_section, tables)]
    return "\n".join(parts)


def _about(tables: Sequence[Table]) -> str:
    lines = [
        "Mean ± standard deviation over instances, each the mean of its runs; in brackets, the number of values behind",
        "it, and after a slash the explanations that failed or exceeded their time. *Published* are the figures of:",
        f"{REFERENCE}.\n",
    ]
    for table in tables:
        for explainer in table.explainers:
            good, known = compared(table, explainer)
            if known and explainer == "lormika-paper":  # the others are not searched for the measure
                side = "at or below" if table.measure.least_is_best else "at or above"
                lines.append(f"- {table.measure.title}, {explainer}: {side} the published LoRMIkA in {good} of {known}")
    return "\n".join(lines) + "\n"


def _section(table: Table) -> str:
    heads = ["data", "model", *table.explainers, *(f"{name}, published" for name in table.papers)]
    lines = [f"## {table.measure.title}\n", f"{table.measure.note}\n"]
    lines += [_row(heads), _row(["---"] * 2 + ["---:"] * (len(heads) - 2))]
    lines += [
        _row([dataset, MODELS[model], *_cells(table, dataset, model, " ± ")]) for dataset, model in table.settings
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(table: Table, dataset: str, model: str, plus_minus: str) -> list[str]:
    measured = [_entry(table.entries.get((dataset, model, name)), plus_minus) for name in table.explainers]
    theirs = [_pair(table.paper(dataset, model, name), plus_minus) for name in table.papers]
    return measured + theirs


def _entry(entry: Entry | None, plus_minus: str) -> str:
    if entry is None:
        return "–"
    failed = f"/{entry.failed}" if entry.failed else ""
    if not entry.explanations:
        return f"– (0{failed})"
    return f"{_pair((entry.mean, entry.sd), plus_minus)} ({entry.explanations}{failed})"


def _pair(pair: tuple[float, float] | None, plus_minus: str) -> str:
    if pair is None:
        return "–"
    mean, sd = pair
    digits = 0 if abs(mean) >= 1000 else 2 if abs(mean) >= 0.1 or mean == 0 else 3
    return f"{mean:,.{digits}f}" + ("" if math.isnan(sd) else f"{plus_minus}{sd:,.{digits}f}")


def to_csv(tables: Sequence[Table]) -> str:
    """One line for each measure, setting and explainer; the paper's figures of LoRMIkA stand beside both of ours."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for table in tables:
        for (dataset, model, explainer), entry in table.entries.items():
            paper = table.paper(dataset, model, explainer.removesuffix("-paper")) or ("", "")
            numbers = (entry.mean, entry.sd, entry.explanations, entry.failed, *paper)
            told = ["" if isinstance(value, float) and math.isnan(value) else value for value in numbers]
            writer.writerow([table.measure.name, dataset, MODELS[model], explainer, *told])
    return text.getvalue()


def to_latex(tables: Sequence[Table]) -> str:
    """Tables for a document; they need no package."""
    return "\n".join(map(_latex_table, tables))


def _latex_table(table: Table) -> str:
    heads = ["data", "model", *table.explainers, *(f"{name} (published)" for name in table.papers)]
    rows = [[d, MODELS[m], *_cells(table, d, m, r" $\pm$ ")] for d, m in table.settings]
    body = [" & ".join(_escape(cell) for cell in row) + r" \\" for row in (heads, *rows)]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_escape(table.measure.title)}}}",
            rf"\label{{tab:{table.measure.name}}}",
            rf"\begin{{tabular}}{{ll{'r' * (len(heads) - 2)}}}",
            r"\hline",
            body[0],
            r"\hline",
            *body[1:],
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _escape(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("−", "$-$").replace("–", "--").replace("|", r"$|$")
