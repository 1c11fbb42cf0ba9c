"""Runs a program's script in its venv: run.py PROGRAM TEXTS PAGES SEED THEME."""

import pathlib
import runpy
import sys

runpy.run_path(str(pathlib.Path(__file__).parent / "programs" / f"{sys.argv[1]}.py"), run_name="__main__")
