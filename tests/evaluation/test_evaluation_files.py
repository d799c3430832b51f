"""Files of tables: what is in them, how it is written, and what a figure shows of it."""

from __future__ import annotations

import csv
import math
import warnings

import pytest

from lormika.evaluation import write_figures, write_tables
from lormika.evaluation.figures import draw
from lormika.evaluation.table_files import to_csv, to_latex, to_markdown
from lormika.evaluation.tables import MEASURES, Entry, Table

ORDER = ["lormika", "lormika-other-data", "lormika-paper", "anchor", "lore"]
SETTINGS = [("compas", "tree"), ("german", "mlp")]


def table(
    measure="coverage", explainers=("lormika", "lormika-paper", "anchor"), settings=SETTINGS, order=None, **entry
):
    """Every explainer has the same entry in every setting."""
    measure = next(known for known in MEASURES if known.name == measure)
    one = Entry(**{"mean": 0.5, "sd": 0.2, "values": 4, "failed": 0} | entry)
    entries = {(*setting, name): one for setting in settings for name in explainers}
    return Table(measure, list(settings), list(explainers), list(order or ORDER), entries)


FAILED = {"mean": math.nan, "sd": math.nan, "values": 0, "failed": 3}


def row_of(markdown, *begin):
    """Cells of the row that begins so."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in markdown.splitlines()]
    return next(row for row in rows if row[: len(begin)] == list(begin))


def legend(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def styles(figure):
    return {c.get_label(): (c.lines[0].get_color(), c.lines[0].get_marker()) for c in figure.axes[0].containers}


def bars(figure):
    """Ends of all error bars."""
    return [
        [y for _, y in segment]
        for container in figure.axes[0].containers
        for segment in container.lines[2][0].get_segments()
    ]


# Folders.


def test_folders_are_made_and_may_be_texts(tmp_path):
    folder = tmp_path / "not" / "yet"
    assert [path.name for path in write_tables([table()], str(folder))] == ["tables.md", "tables.csv", "tables.tex"]
    assert [path.name for path in write_tables([table()], folder, "shared")] == [
        "shared.md",
        "shared.csv",
        "shared.tex",
    ]
    assert all((folder / name).stat().st_size for name in ("tables.md", "shared.csv", "shared.tex"))


def test_folders_of_figures_are_made_and_may_be_texts(tmp_path):
    pytest.importorskip("matplotlib")
    [path] = write_figures([table()], str(tmp_path / "not" / "yet"))
    assert path == tmp_path / "not" / "yet" / "coverage.svg"
    assert "<svg" in path.read_text(encoding="utf-8")


# Text.


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_only_the_shared_tables_say_that_they_are(ending, tmp_path):
    said = "Only instances that all explainers of a setting explained are counted"
    for name in ("tables", "shared"):
        write_tables([table()], tmp_path, name)
    assert said in (tmp_path / f"shared.{ending}").read_text(encoding="utf-8")
    assert said not in (tmp_path / f"tables.{ending}").read_text(encoding="utf-8")


def test_labels_of_both_tables_can_be_in_one_document():
    assert r"\label{tab:coverage}" in to_latex([table()])
    assert r"\label{tab:shared-coverage}" in to_latex([table()], shared=True)


@pytest.mark.parametrize("text", [to_markdown([table()]), to_latex([table()])])
def test_the_deviation_and_the_brackets_are_explained(text):
    text = " ".join(text.split())
    assert "(population, not estimated)" in text
    assert "brackets" in text


@pytest.mark.parametrize(
    ("mean", "text"),
    [
        (0.0, "0.00 ± 0.20"),
        (0.0512, "0.051 ± 0.200"),
        (0.1, "0.10 ± 0.20"),
        (99.4, "99.40 ± 0.20"),
        (100.0, "100.0 ± 0.2"),
        (999.44, "999.4 ± 0.2"),
        (1000.0, "1,000 ± 0"),
        (12345.6, "12,346 ± 0"),
    ],
)
def test_digits_of_what_is_measured(mean, text):
    markdown = to_markdown([table("model-rows", ["lormika"], mean=mean)])
    assert row_of(markdown, "compas", "tree")[2] == f"{text} (4)"


def test_digits_of_what_is_published():
    # The paper's 0.09 ± 0.09 and, without a deviation, 289.41.
    markdown = to_markdown([table("coverage", ["anchor"], [("adult", "svm")], mean=0.09, sd=0.09)])
    assert row_of(markdown, "adult", "svm")[2:4] == ["0.090 ± 0.090 (4)", "0.09 ± 0.09"]
    markdown = to_markdown([table("seconds", ["lore"], [("covertype", "rf")], mean=289.41, sd=math.nan)])
    assert row_of(markdown, "covertype", "rf")[2:] == ["289.4 (4)", "24.81", "289.41", "38.27"]


def test_failures_are_told():
    assert row_of(to_markdown([table(**FAILED)]), "compas", "tree")[2] == "– (0/3)"
    assert row_of(to_markdown([table(failed=1)]), "compas", "tree")[2] == "0.50 ± 0.20 (4/1)"


def test_published_columns_without_a_figure_are_left_out():
    text = {
        name: to_markdown([table("seconds", settings=[name])]) for name in (("compas", "tree"), ("covertype", "lr"))
    }
    assert row_of(text["compas", "tree"], "data") == ["data", "model", "lormika", "lormika-paper", "anchor"]
    assert "ublished" not in text["compas", "tree"]
    assert row_of(text["covertype", "lr"], "data")[5:] == ["anchor, published", "lore, published", "lormika, published"]
    made_up = [table(measure.name, settings=[("loans", "tree")]) for measure in MEASURES]
    assert "ublished" not in to_markdown(made_up) + to_latex(made_up)


def test_models_have_the_names_of_the_options():
    text = to_csv([table()]) + to_markdown([table()]) + to_latex([table()])
    assert ",mlp," in text
    assert "| mlp |" in text
    assert "& mlp &" in text


def test_a_bar_in_a_name_breaks_no_table():
    lines = to_markdown([table(explainers=["a|b"], settings=[("loans", "tree")])]).splitlines()
    [head] = [line for line in lines if line.startswith("| data")]
    assert head == r"| data | model | a\|b |"


# CSV.


def test_csv_has_the_papers_figures_beside_ours():
    text = to_csv([table(explainers=["lormika", "lormika-other-data", "lormika-paper", "lore", "mine-paper"])])
    rows = [row for row in csv.DictReader(text.splitlines()) if row["dataset"] == "german"]
    paper = {row["explainer"]: row["paper_mean"] for row in rows}
    assert paper["lormika"] == paper["lormika-paper"] != ""
    assert paper["lore"] not in ("", paper["lormika"])
    assert paper["lormika-other-data"] == paper["mine-paper"] == ""
    assert {row["values"] for row in rows} == {"4"}


# LaTeX.


def test_latex_escapes_all_special_signs():
    name = r"\^~{}$&%#_|<"
    latex = to_latex([table(explainers=[name], settings=[("loans", "tree")])])
    escaped = r"\textbackslash{}\textasciicircum{}\textasciitilde{}\{\}\$\&\%\#\_$|$$<$"
    assert rf"data & model & {escaped} \\" in latex.splitlines()


@pytest.mark.parametrize("measure", [measure.name for measure in MEASURES])
def test_all_lines_of_a_latex_table_have_all_columns(measure):
    lines = to_latex([table(measure, ORDER)]).splitlines()
    [columns] = [line.split("{")[-1].rstrip("}") for line in lines if line.startswith(r"\begin{tabular}")]
    rows = [line for line in lines if line.endswith(r"\\") and r"\multicolumn" not in line]
    assert rows
    assert {line.count(" & ") + 1 for line in rows} == {len(columns)}
    assert all(line.isascii() for line in lines)
    assert max(len(cell) for line in rows for cell in line.removesuffix(r"\\").split("&")) <= 14  # narrow columns


def test_latex_stacks_mean_deviation_and_count():
    lines = to_latex([table(explainers=["lormika-paper"])]).splitlines()
    at = lines.index(r"german & mlp & 0.50 & 0.03 & 0.51 & 0.68 \\")
    assert lines[at + 1] == r" &  & $\pm$ 0.20 & $\pm$ 0.04 & $\pm$ 0.10 & $\pm$ 0.17 \\"
    assert lines[at + 2] == r" &  & (4) &  &  &  \\"
    assert r" & & \multicolumn{1}{c}{measured} & \multicolumn{3}{c}{published} \\" in lines


# Figures.


@pytest.fixture
def _matplotlib():
    pytest.importorskip("matplotlib")


@pytest.mark.usefixtures("_matplotlib")
class TestFigures:
    def test_an_explainer_looks_the_same_in_all_figures(self):
        one, other = styles(draw(table(explainers=ORDER))), styles(draw(table("turned", ORDER[2:])))
        assert other == {name: one[name] for name in ORDER[2:]}

    def test_twelve_explainers_look_different(self):
        names = [f"e{i}" for i in range(12)]
        assert len(set(styles(draw(table(explainers=names, order=names))).values())) == 12

    @pytest.mark.parametrize(
        ("measure", "mean", "ends"),
        [
            ("coverage", 0.9, [0.3, 1.0]),
            ("coverage", 0.1, [0.0, 0.7]),
            ("jaccard", 0.9, [0.3, 1.0]),
            ("interestingness", 0.9, [0.3, 1.5]),
            ("features", 0.1, [0.0, 0.7]),
            ("model-rows", 50.0, [49.4, 50.6]),
        ],
    )
    def test_bars_stay_within_what_is_possible(self, measure, mean, ends):
        [bar, _] = bars(draw(table(measure, ["lormika"], mean=mean, sd=0.6)))
        assert bar == pytest.approx(ends)

    def test_a_single_value_has_no_deviation(self):
        assert bars(draw(table(explainers=["lormika"], sd=math.nan))) == [[0.5, 0.5]] * 2

    def test_points_sit_near_their_tick(self):
        few = table(explainers=["lormika", "anchor", "lore"])
        for setting in SETTINGS:
            few.entries[(*setting, "anchor")] = few.entries[(*setting, "lore")] = Entry(**FAILED)
        [only] = draw(few).axes[0].containers
        assert list(only.lines[0].get_xdata()) == [0, 1]
        for container in draw(table(explainers=ORDER)).axes[0].containers:
            assert max(abs(x - i) for i, x in enumerate(container.lines[0].get_xdata())) < 0.4

    def test_published_figures_come_last_and_stand_beside_the_nearest(self):
        figure = draw(table(explainers=["lormika", "lormika-paper", "anchor"]))
        assert legend(figure) == ["lormika", "lormika-paper", "anchor", "anchor, published", "lormika, published"]
        self.check_beside(figure, "lormika-paper")
        figure = draw(table(explainers=["lormika", "anchor"]))
        assert legend(figure) == ["lormika", "anchor", "anchor, published", "lormika, published"]
        self.check_beside(figure, "lormika")

    def check_beside(self, figure, explainer):
        axes = figure.axes[0]
        [theirs] = [line for line in axes.lines if line.get_label() == "lormika, published"]
        [measured] = [c.lines[0] for c in axes.containers if c.get_label() == explainer]
        assert list(theirs.get_xdata()) == list(measured.get_xdata())
        assert theirs.get_color() == measured.get_color()
        assert theirs.get_markerfacecolor() == "none"

    @pytest.mark.parametrize(
        ("measure", "unit"),
        [
            ("coverage", "share"),
            ("common-interestingness", "|lift − 1|"),
            ("jaccard-confidence", "Jaccard coefficient"),
            ("features-lift", "features"),
            ("seconds", "seconds"),
            ("model-calls", "calls"),
            ("model-rows", "rows"),
            ("turned", "share"),
        ],
    )
    def test_units(self, measure, unit):
        assert draw(table(measure)).axes[0].get_ylabel() == unit

    def test_nothing_is_lost_on_a_logarithmic_scale(self):
        assert draw(table("model-calls", mean=20.0)).axes[0].get_yscale() == "log"
        assert draw(table("model-calls", mean=0.0)).axes[0].get_yscale() == "linear"

    def test_a_table_without_a_value_has_no_figure(self, tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            written = write_figures([table(**FAILED), table("seconds", mean=0.1, sd=0.6)], tmp_path)
        assert [path.name for path in written] == ["seconds.svg"]
        assert [path.name for path in tmp_path.iterdir()] == ["seconds.svg"]
