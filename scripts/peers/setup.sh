# Sourced by the scripts that measure: the labelled pages, a place to work, the program and Python's
# packages, which are given as arguments.
data=${DATA:-../shared/data}
work=${WORK:-out/peers}
if [ ! -f "$data/wcxb-dev.warc.gz" ]; then
    echo "skipped: no $data/wcxb-dev.warc.gz" >&2
    exit 0
fi
mkdir -p "$work"
python=$work/venv/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$work/venv"
fi
"$python" -m pip install --quiet "${packages[@]}"
cargo build --release -p trommel-cli
trommel=${CARGO_TARGET_DIR:-target}/release/trommel
