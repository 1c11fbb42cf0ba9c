"""The command `trommel`, also as `python -m trommel_text`: the program with all of its commands and options."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the program with the arguments of this process, and ends with its exit code."""
    command = getattr(_native, "command", None)
    if command is None:
        sys.exit("trommel: this build of trommel_text is without the feature `command`")
    # Ctrl-C is the program's, as if there were no Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command(["trommel", *sys.argv[1:]])


if __name__ == "__main__":
    main()
