#!/usr/bin/env bash
# Measures how `trommel run` scales with workers: makes archives from the sample (other order, other ids), runs -j 1, 2,
# 4 ... up to the cores there are, and prints pages a second, speed-up, shares of threads and peak memory, beside
# FastWARC + Resiliparse with one process an archive where Python has them. Nothing is written but below WORK.
# Usage: scripts/scale.sh [--archives 64] [--megabytes 50] [--jobs 1,2,4] [--trommel PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/scale_lanes.py --work "${WORK:-out/scale}" "$@"
