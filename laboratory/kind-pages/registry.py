"""The programs that print pages, and their venvs."""

import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent


@dataclass
class Program:
    share: int = 3
    # Kept for tests: no model learns from its pages.
    test: bool = False
    # The Python it needs, where it is not that of the caller.
    python: str = ""
    # Each in a run of its own.
    themes: tuple = ("",)


PROGRAMS = {
    "machina": Program(7),
    "spirit": Program(5),
    "askbot": Program(7),
    "helpdesk": Program(3),
    "oscar": Program(9),
    "cartridge": Program(6),
    "pretix": Program(7),
    "plone": Program(7),
    "wiki": Program(4),
    "otterwiki": Program(4),
    "mezzanine": Program(4),
    "zinnia": Program(4, python="3.6", themes=("", "zinnia_bootstrap", "zinnia_foundation")),
    "pybbm": Program(4, test=True, python="3.7"),
    "shuup": Program(4, test=True, python="3.8"),
    "joyous": Program(4, test=True, python="3.8"),
}


def interpreter(version):
    """A Python of a version, if the machine has one."""
    if not version:
        return sys.executable
    found = shutil.which(f"python{version}")
    versions = sorted(pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python"))
    return str(versions[-1]) if versions else found


def ready(name, venvs):
    """The Python of a program's venv, which is made if it is not there; None, with a printed line, if it cannot be made."""
    folder = venvs / name
    python, done = folder / "bin" / "python", folder / "installed"
    needs = HERE / "requirements" / f"{name}.txt"
    if done.exists() and done.read_text() == needs.read_text():
        return python
    base = interpreter(PROGRAMS[name].python)
    if base is None:
        print(f"{name}: skipped, no Python {PROGRAMS[name].python}", file=sys.stderr)
        return None
    for order in ([base, "-m", "venv", folder], [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", needs]):
        made = subprocess.run(order, capture_output=True)
        if made.returncode:
            print(f"{name}: skipped, {made.stderr.decode().strip().splitlines()[-1][:200]}", file=sys.stderr)
            return None
    done.write_text(needs.read_text())
    return python
