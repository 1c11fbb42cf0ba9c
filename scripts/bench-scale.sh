#!/usr/bin/env bash
# Measures how cost grows with archive size, page size and workers; writes docs/log/scale-measured.md.
# Needs the labelled pages (DATA). Usage: scripts/bench-scale.sh [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(zstandard)
. scripts/peers/setup.sh
"$python" scripts/peers/scale.py --data "$data" --trommel "$trommel" --work "$work" --docs docs "$@"
