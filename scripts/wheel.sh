#!/usr/bin/env bash
# Builds the Python wheel.
#   scripts/wheel.sh build FOLDER   optimized, into FOLDER
#   scripts/wheel.sh test           as fast as it can be built, and runs the tests of Python
#   scripts/wheel.sh test-command   the same with the command `trommel`, compared with the program
# What it needs of Python (maturin, pytest, pyarrow) goes into an environment of its own in the cache folder.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "skipped: the Python wheel: there is no Python 3.10 or later"
    exit 0
fi
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
environment=${TROMMEL_VENV:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/trommel-python-$version}
if ! "$environment/bin/python" -c 'import pytest, pyarrow, maturin' 2>/dev/null; then
    if ! { python3 -m venv "$environment" && "$environment/bin/pip" install -q maturin pytest pyarrow; }; then
        echo "skipped: the Python wheel: maturin, pytest and pyarrow cannot be installed (is the registry of Python reached?)"
        exit 0
    fi
fi
PATH=$environment/bin:$PATH

case "${1:-}" in
build)
    folder=$(mkdir -p "${2:?a folder for the wheel}" && cd "$2" && pwd)
    (cd crates/python && maturin build --locked --out "$folder")
    ls -l "$folder"
    ;;
test | test-command)
    # The profile of the tests, so that what they built serves again; no network and no training.
    features=(--no-default-features --features abi3,parquet)
    if [ "$1" = test-command ]; then
        features=(--features abi3,command,index,parquet,remote,train)
        cargo build --locked -p trommel-cli --features index
        export TROMMEL=$CARGO_TARGET_DIR/debug/trommel
    fi
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    (cd crates/python && maturin build --locked --profile dev "${features[@]}" --out "$folder")
    pip install -q --force-reinstall --no-deps "$folder"/*.whl
    pytest -q crates/python/tests
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
