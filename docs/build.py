"""Build the site, and check the links inside it: python docs/build.py [--quick] [FOLDER].

Warnings are errors. `--quick` runs three examples of the gallery and shows the others as text; without it, all run,
which needs what they use: pip install -e '.[docs,test,spark]', and Java 17.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile, ZipInfo

HERE = Path(__file__).parent


def main() -> int:
    """Build, then check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="run three examples of the gallery")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE.parent / "build" / "site")
    options = parser.parse_args()
    os.environ["LORMIKA_DOCS"] = "quick" if options.quick else "all"
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("COLUMNS", "100")  # as wide as printed explanations are, whatever the terminal

    from links import find_broken
    from sphinx.cmd.build import build_main

    clear(options.folder)
    with TemporaryDirectory() as cache:
        flags = ["-W", "--keep-going", "-q", "-j", "auto", "-d", cache]
        failed = build_main([*flags, str(HERE), str(options.folder)])
    if failed:
        return int(failed)
    settle_archives(options.folder)
    broken = find_broken(options.folder)
    for one in broken:
        print(f"broken link: {one}", file=sys.stderr)
    if not broken:
        print(f"{options.folder / 'index.html'}: built without a warning, and all links inside it lead somewhere")
    return 1 if broken else 0


def clear(folder: Path) -> None:
    """Remove an earlier build: what is built depends on the sources alone."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "objects.inv").exists():
        raise SystemExit(f"{folder} is not empty, and holds no site: choose another folder")
    for old in (folder, HERE / "gallery", HERE / "api"):
        shutil.rmtree(old, ignore_errors=True)


def settle_archives(folder: Path) -> None:
    """Take the time of the build out of archives: the same sources give the same bytes."""
    for path in folder.rglob("*.zip"):
        with ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        with ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(ZipInfo(name), content)


if __name__ == "__main__":
    sys.exit(main())
