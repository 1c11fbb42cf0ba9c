#!/usr/bin/env python3
"""Checks the types of the Python code in the tutorials and in docs/python.md, and of the module's core, with mypy --strict and
pyright in strict mode; those of the recipes' programs with mypy --strict, without the engines. Needs both, and no build.

    check-types.py [--python PYTHON]     PYTHON has mypy, pyright and pyarrow
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = ROOT / "crates" / "python" / "python"
PAGES = [*sorted(ROOT.glob("docs/tutorials/*.md")), ROOT / "docs" / "python.md", ROOT / "crates" / "python" / "README.md"]
# The parts that need no engine.
CORE = ["__init__", "__main__", "_archives", "_options", "compat", "shards"]
RECIPES = [
    ROOT / "pipelines" / "hard-pages" / "hard_pages.py",
    ROOT / "pipelines" / "tables" / "commit.py",
    ROOT / "pipelines" / "spark" / "cc_pyspark_job.py",
]
ENGINES = ["pyarrow", "pyspark", "sparkcc", "deltalake", "pyiceberg", "lance"]
FENCE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# What the reader of a page has already.
GIVEN = """from typing import Any
from collections.abc import Sequence
html: bytes = b""
pages: list[bytes] = []
urls: list[str] = []
def embed(text: str) -> Sequence[float]: return [float(len(text))]
def store(id: str, vector: Sequence[float], **fields: Any) -> None: ...
"""


def snippets(folder: Path) -> int:
    """Writes each piece of code as a file; gives the number of pieces."""
    number = 0
    for page in PAGES:
        for code in FENCE.findall(page.read_text()):
            number += 1
            (folder / f"{page.parent.name}_{page.stem}_{number}.py").write_text(GIVEN + code)
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    python = parser.parse_args().python
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        number = snippets(folder)
        assert number >= 3, "no code was found"
        # pyarrow has no types, and the compiled part is a stub here.
        ini = f"[mypy]\nstrict = True\nmypy_path = {MODULE}\n[mypy-pyarrow.*]\nignore_missing_imports = True\n"
        (folder / "mypy.ini").write_text(ini)
        # Engines count as untyped, whether they are installed or not.
        skip = "".join(f"[mypy-{name}.*]\nfollow_imports = skip\nignore_missing_imports = True\n" for name in ENGINES)
        (folder / "recipes.ini").write_text(f"[mypy]\nstrict = True\nmypy_path = {MODULE}\ndisallow_subclassing_any = False\n" + skip)
        mypy = [python, "-m", "mypy", "--config-file", "mypy.ini", "--python-version", "3.10"]
        modules = [part for module in CORE for part in ("-m", f"trommel_text.{module}".removesuffix(".__init__"))]
        # A piece imports what it likes, and may only use it further down the page.
        pieces = {"include": ["*.py"], "extraPaths": [str(MODULE)], "typeCheckingMode": "strict", "reportUnusedImport": False}
        core = {"include": [f"core/trommel_text/{module}.py*" for module in CORE], "reportMissingModuleSource": False}
        (folder / "core").symlink_to(MODULE)
        for name, settings in {"pieces": pieces, "core": core}.items():
            (folder / f"{name}.json").write_text(json.dumps({**settings, "pythonVersion": "3.10"}))
        pyright = [python, "-m", "pyright", "--pythonpath", python, "-p"]
        for command in (
            [*mypy, *modules],
            *([*mypy, file.name] for file in sorted(folder.glob("*.py"))),
            *([python, "-m", "mypy", "--config-file", "recipes.ini", "--python-version", "3.10", str(file)] for file in RECIPES),
            [*pyright, "pieces.json"],
            [*pyright, "core.json"],
        ):
            failed += subprocess.run(command, cwd=folder).returncode != 0
    print(f"{number} pieces of code, {len(CORE)} modules and {len(RECIPES)} recipes: {'wrong types' if failed else 'types are right'}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
