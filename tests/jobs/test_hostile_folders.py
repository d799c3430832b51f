"""Folders that were tampered with, truncated, taken from elsewhere: a clear answer for each, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batches import QUICK, Batch
from lormika.cli.app import app

LINE = ("rows.parquet", "--model", "python:functions:good", "--background", "background.parquet")


@pytest.fixture(scope="module")
def finished(files, warm) -> Path:
    """A finished run of three chunks."""
    done = Batch(files, warm).run("good", "hostile", "--chunk-rows", 20, "--workers", 1)
    assert done.returncode == 0, done.stderr
    return files / "hostile"


@pytest.fixture
def out(finished, batch, monkeypatch) -> Path:
    """A copy to do harm to, with a file outside that is not to be touched."""
    monkeypatch.chdir(batch.folder)
    shutil.copytree(finished, "out")
    Path("outside").write_text("mine")
    return Path("out")


def _run(*more: object) -> tuple[int, str]:
    result = CliRunner().invoke(
        app, ["batch", *LINE, "--out", "out", *QUICK, "--chunk-rows", "20", "--workers", "1", *map(str, more)]
    )
    return result.exit_code, f"{result.output} {result.exception or ''}"


@pytest.fixture
def go_on(batch):
    """The same in a warm process, where workers start soon."""

    def run(*more: object) -> tuple[int, str]:
        done = batch.run("good", "out", "--chunk-rows", 20, *more, quiet=False)
        return done.returncode, f"{done.stdout} {done.stderr}"

    return run


def _snapshot(folder: Path) -> dict[str, object]:
    """All that there is, but what Python makes of a module; not where links lead."""
    found: dict[str, object] = {}
    for path in sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[str(path)] = os.readlink(path)
        else:
            found[str(path)] = path.read_bytes() if stat.S_ISREG(mode) else stat.S_IFMT(mode)
    return found


def _write(name: str, content: str | bytes):
    def harm(out: Path) -> None:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return harm


def _edit(name: str, **changes: object):
    def harm(out: Path) -> None:
        content = json.loads((out / name).read_text())
        content.update({key: value(content[key]) if callable(value) else value for key, value in changes.items()})
        (out / name).write_text(json.dumps(content))

    return harm


def _cut(name: str, length: int):
    return lambda out: (out / name).write_bytes((out / name).read_bytes()[:length])


def _flip(name: str, at: float = 0.4, *, secretly: bool = False):
    def harm(out: Path) -> None:
        (path,) = out.glob(name)
        content, before = bytearray(path.read_bytes()), path.stat()
        for place in range(int(len(content) * at), int(len(content) * at) + 20):
            content[place] ^= 0xFF
        path.write_bytes(content)
        if secretly:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    return harm


def _remove(name: str):
    def harm(out: Path) -> None:
        for path in out.glob(name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return harm


def _link(name: str, target: str = "../outside"):
    def harm(out: Path) -> None:
        _remove(name)(out)
        (out / name).symlink_to(target)

    return harm


def _move_and_link(name: str):
    def harm(out: Path) -> None:
        (path,) = out.glob(name)
        path.rename("elsewhere")
        path.symlink_to(Path("elsewhere").resolve())

    return harm


def _pipe(name: str):
    def harm(out: Path) -> None:
        _remove(name)(out)
        os.mkfifo(out / name)

    return harm


def _folder(name: str):
    def harm(out: Path) -> None:
        _remove(name)(out)
        (out / name).mkdir()

    return harm


def _swap(one: str, other: str):
    def harm(out: Path) -> None:
        first, second = (out / one).read_bytes(), (out / other).read_bytes()
        (out / one).write_bytes(second)
        (out / other).write_bytes(first)

    return harm


def _foreign(*names: str):
    """A folder that never was a run's."""

    def harm(out: Path) -> None:
        shutil.rmtree(out)
        out.mkdir()
        for name in names:
            _write(name, "mine")(out)

    return harm


def _all(*harms):
    def harm(out: Path) -> None:
        for one in harms:
            one(out)

    return harm


RULES, INSTANCES = "rules/part-00001.parquet", "instances/part-00001.parquet"
DAMAGED, ANOTHER = "run.json is damaged", "out holds another run, with another"
STRANGE, LINK, NOT_OURS = "not what a run has under this name", "is a symbolic link", "which is not of a run"
FOREIGN = "choose an empty folder"

REFUSED = {
    "an empty start": (_write("run.json", ""), "run.json cannot be read"),
    "a truncated start": (_cut("run.json", 300), "run.json cannot be read"),
    "a start of bytes": (_write("run.json", bytes(range(256))), "run.json cannot be read"),
    "a deep start": (_write("run.json", "[" * 100_000), "run.json cannot be read"),
    "a list": (_write("run.json", "[]"), "run.json is not the start of a run"),
    "null": (_write("run.json", "null"), "run.json is not the start of a run"),
    "a start of another program": (_write("run.json", '{"job": 1}'), "run.json is not the start of a run"),
    "another version": (_edit("run.json", version="0.0.1"), "another version of lormika, 0.0.1"),
    "a version that is no text": (_edit("run.json", version=[1]), "another version of lormika"),
    "one field too many": (_edit("run.json", extra=1), DAMAGED),
    "rows as text": (_edit("run.json", rows="60"), DAMAGED),
    "rows as truth": (_edit("run.json", rows=True), DAMAGED),
    "no rows in a chunk": (_edit("run.json", chunk_rows=0), DAMAGED),
    "an input elsewhere": (_edit("run.json", input="../rows.parquet"), DAMAGED),
    "a background elsewhere": (_edit("run.json", background="/etc"), DAMAGED),
    "features that are none": (_edit("run.json", features=[1]), DAMAGED),
    "a model that is none": (_edit("run.json", model="good"), DAMAGED),
    "a model with an option": (_edit("run.json", model=lambda m: m | {"headers": {}}), DAMAGED),
    "another model": (_edit("run.json", model=lambda m: m | {"source": "python:os:system"}), f"{ANOTHER} model"),
    "a permission": (_edit("run.json", model=lambda m: m | {"allow_pickle": True}), f"{ANOTHER} model"),
    "a trusted type": (_edit("run.json", model=lambda m: m | {"trust": ["os.system"]}), f"{ANOTHER} model"),
    "other options": (_edit("run.json", options=lambda o: o | {"k": 9}), f"{ANOTHER} --k"),
    "other settings": (_edit("run.json", settings={}, order=None), ANOTHER),
    "another name": (_edit("run.json", id="name"), f"{ANOTHER} --id"),
    "fewer rows": (_edit("run.json", rows=59), f"{ANOTHER} data file or --where"),
    "more rows": (_edit("run.json", rows=10**12), f"{ANOTHER} data file or --where"),
    "a linked start": (_move_and_link("run.json"), LINK),
    "a folder as start": (_folder("run.json"), STRANGE),
    "a pipe as start": (_pipe("run.json"), STRANGE),
    "no start, but parts": (_remove("run.json"), "holds 'rules/part-00000.parquet', which is not of a run"),
    "linked rules": (_move_and_link("rules"), LINK),
    "instances that are a file": (_all(_remove("instances"), _write("instances", "mine")), STRANGE),
    "a linked part": (_move_and_link(RULES), LINK),
    "a part that leads out": (_link(INSTANCES, "../../outside"), LINK),
    "a pipe as part": (_pipe(RULES), STRANGE),
    "a folder as part": (_folder(INSTANCES), STRANGE),
    "a part too many": (_write("rules/part-00003.parquet", "mine"), "not of this run, which has 3 chunks"),
    "a linked lock": (_link(".lock", "../nowhere"), LINK),
    "a linked lock of writers": (_link(".writing"), LINK),
    "a linked manifest": (_move_and_link("manifest.json"), LINK),
    "a linked background": (_move_and_link("background-*"), LINK),
    "a linked input": (_move_and_link("input-*"), LINK),
    "dotfiles of others": (_foreign(".pre-commit-config.yaml", ".my-old-backup/a/b"), FOREIGN),
    "a repository": (_foreign(".git/config", "README.md"), FOREIGN),
    "names like ours": (_foreign("background-old.csv", "input-2024.xlsx", "rules.txt"), FOREIGN),
    "a name like that of an unfinished file": (_foreign(".my-2024-notes.txt"), FOREIGN),
    "a folder like that of an unfinished one": (_foreign(".my-2024-run.json/a", ".my-2024-background/notes"), FOREIGN),
    "rules of others": (_foreign("rules/firewall.conf"), "holds 'rules/firewall.conf', which is not of a run"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(out, case) -> None:
    harm, words = REFUSED[case]
    harm(out)
    before = _snapshot(Path())
    code, said = _run()
    assert code == 1, said
    assert words in said
    assert "Traceback" not in said
    assert _snapshot(Path()) == before


def test_files_of_others_in_a_background_are_not_lost(out) -> None:
    (background,) = out.glob("background-*")
    (background / "notes.txt").write_text("mine")
    before = _snapshot(Path())
    code, said = _run()
    assert (code, "notes.txt is not of a run: move it away" in said) == (1, True), said
    assert _snapshot(Path()) == before


TOKEN = "0123456789abcdef"
MENDED = {
    "truncated rules": _cut(RULES, 1000),
    "empty rules": _cut(RULES, 0),
    "rules of text": _write(RULES, "mine"),
    "flipped rules": _flip(RULES),
    "rules flipped at their start": _flip(RULES, 0.001),
    "rules flipped secretly": _flip(RULES, secretly=True),
    "rules flipped in a run that is not finished": _all(_flip(RULES), _remove("manifest.json")),
    "flipped instances": _flip(INSTANCES),
    "instances flipped in a run that is not finished": _all(_flip(INSTANCES), _remove("manifest.json")),
    "empty instances": _cut(INSTANCES, 0),
    "no rules": _remove("rules"),
    "swapped rules": _swap(RULES, "rules/part-00002.parquet"),
    "swapped instances": _swap(INSTANCES, "instances/part-00002.parquet"),
    "no manifest": _remove("manifest.json"),
    "a truncated manifest": _cut("manifest.json", 500),
    "a manifest that is a list": _write("manifest.json", "[]"),
    "a manifest without parts": _edit("manifest.json", parts=[]),
    "a manifest with other totals": _edit("manifest.json", rules=7),
    "a manifest with fewer rows": _edit("manifest.json", rows=59),
    "a manifest with parts of text": _edit("manifest.json", parts=["a", "b", "c"]),
    "a damaged input": _flip("input-*"),
    "a damaged background": _flip("background-*/codes.npy"),
    "no copies of the data": _all(_remove("input-*"), _remove("background-*")),
    "unfinished files": _all(
        _write(f".{os.uname().nodename}-1-{TOKEN}-manifest.json", "x"),
        _write(f"rules/.node-7-12-{TOKEN}-part-00001.parquet", "x"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MENDED)
def test_mended(out, go_on, finished, case) -> None:
    MENDED[case](out)
    theirs = [out / ".pre-commit-config.yaml", out / ".my-old-backup" / "a", out / "rules" / ".a-1-b", out / "top.html"]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    code, said = go_on()
    assert code == 0, said
    assert all(path.read_text() == "mine" for path in theirs)
    for path in (*theirs, theirs[1].parent):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    wanted = {name: content for name, content in _relative(finished).items() if not name.startswith("report")}
    assert _relative(out) == wanted
    code, said = go_on()
    assert (code, said.split()) == (0, f"{out}: finished already, {_total(out)} rules about 60 rows".split())


def _relative(folder: Path) -> dict[str, object]:
    return {str(Path(name).relative_to(folder)): content for name, content in _snapshot(folder).items()}


def _total(out: Path) -> int:
    return json.loads((out / "manifest.json").read_text())["rules"]


def test_all_parts_are_read_if_that_is_wanted(out, finished, monkeypatch) -> None:
    """What a disk has done to a part leaves no trace of when: here all times of changes are those before it."""
    from lormika.jobs.stock import Stock

    _flip(RULES)(out)
    monkeypatch.setattr(Stock, "is_older", lambda self, files: True)
    assert _run()[0] == 0
    assert (out / RULES).read_bytes() != (finished / RULES).read_bytes()
    assert _run("--verify")[0] == 0
    assert (out / RULES).read_bytes() == (finished / RULES).read_bytes()


def test_hashes_of_a_manifest_are_compared_if_that_is_wanted(out, go_on, finished) -> None:
    """A manifest that was written last looks as if it had counted what is there."""
    _edit("manifest.json", parts=lambda parts: [part | {"sha256": ["0" * 64] * 2} for part in parts])(out)
    code, said = go_on("--verify")
    assert code == 0, said
    assert _relative(out) == _relative(finished)


def test_a_report_does_not_wait_for_a_pipe(out) -> None:
    _pipe("run.json")(out)
    result = CliRunner().invoke(app, ["report", "out"])
    assert result.exit_code == 1
    assert "out is not the folder of a run: it has no run.json" in f"{result.output} {result.exception}"


def test_jobs_of_an_array_are_in_nobodys_way(tmp_path, monkeypatch) -> None:
    """Their files come and go while a folder is looked at."""
    from lormika.jobs.contents import check_contents

    for name in (".node-1-12-0123456789abcdef-run.json", "manifest.json", "input-" + 32 * "0" + ".parquet"):
        (tmp_path / name).touch()
    (tmp_path / ".node-1-12-0123456789abcdef-background").mkdir()
    listed = list(tmp_path.iterdir())
    for path in listed:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    monkeypatch.setattr(Path, "iterdir", lambda path: iter(listed if path == tmp_path else []))
    check_contents(tmp_path)


def test_a_report_tells_of_flipped_bytes(out, go_on) -> None:
    for place in range(1, 10):  # a report does not read all columns
        _flip(RULES, place / 10)(out)
    result = CliRunner().invoke(app, ["report", "out"])
    assert result.exit_code == 1
    assert "part-00001.parquet cannot be read" in f"{result.output} {result.exception}"
    assert go_on()[0] == 0
    assert CliRunner().invoke(app, ["report", "out"]).exit_code == 0


def test_files_that_only_look_like_leftovers_stay(batch) -> None:
    out = batch.folder / "out"
    (out / ".exp-3-background").mkdir(parents=True)
    (out / ".exp-3-background" / "data.npy").write_text("mine")
    (out / ".notes-12-run.json").write_text("mine")
    done = batch.run("good", "out", "--prepare")
    assert done.returncode == 1
    assert "is not of a run" in done.stderr or "move" in done.stderr
    assert (out / ".notes-12-run.json").read_text() == (out / ".exp-3-background" / "data.npy").read_text() == "mine"


def test_a_link_in_the_folder_leads_nowhere(batch) -> None:
    """Whoever can write to the folder cannot make others write elsewhere, even if they know host and process."""
    assert batch.run("good", "out").returncode == 0
    victim = batch.folder / "victim.txt"
    victim.write_text("precious")
    out = batch.folder / "out"
    command = f"ln -s {victim} out/.$(hostname)-$$-report.html; exec {sys.executable} -m lormika report out"
    done = subprocess.run(["sh", "-c", command], cwd=batch.folder, capture_output=True, text=True, check=False)
    assert victim.read_text() == "precious", done.stderr
    assert not (out / "report.html").is_symlink()
