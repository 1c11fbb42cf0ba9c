#!/usr/bin/env bash
# Runs the recipes of pipelines/ against the real engines: LangChain, LlamaIndex, Spark, Ray, datatrove (with trafilatura), Dask, dolma, Delta, Iceberg,
# Lance, DuckDB, Polars, Daft; dolma, Beam and Flink in environments of their own. Some GB of packages, minutes. Needs Java 17.
#   check-engines.sh [RECIPE]...   these recipes, e.g. `spark tables` (default: all)
#   TROMMEL_VENV=FOLDER      where the packages go, FOLDER-curator, -beam and -flink too (default: in the cache folder)
#   TROMMEL_WHEEL=FILE       a wheel that is built already
#   TROMMEL=PROGRAM          the program to compare with and to join annotations of (default: the command of the wheel)
#   TROMMEL_SHARED=FOLDER    labelled sets to make the 40 archives of; the sample without it
#   TROMMEL_RECORDS=N        records taken of each set (default 400)
set -euo pipefail
cd "$(dirname "$0")/.."

environment=${TROMMEL_VENV:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/trommel-engines}
packages=('pyspark' 'ray[data]' 'pandas<3' datatrove orjson warcio faust-cchardet python-magic trafilatura lxml_html_clean
    'dask[dataframe]' langchain-core llama-index-core deltalake 'pyiceberg[sql-sqlite,pyarrow]' pylance duckdb polars daft zstandard pyarrow)

# install FOLDER PACKAGE...: an environment with the packages and pytest. By uv, as pip needs many minutes to choose versions.
install() {
    local folder=$1
    shift
    [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
    "$folder/bin/python" -c 'import uv' 2>/dev/null || "$folder/bin/pip" install -q uv
    "$folder/bin/uv" pip install -q --python "$folder/bin/python" pytest zstandard "$@"
}

# check FOLDER RECIPE: its tests in an environment with the wheel.
check() {
    echo "== $2"
    "$1/bin/uv" pip install -q --python "$1/bin/python" --reinstall --no-deps "$TROMMEL_WHEEL"
    PATH=$1/bin:$PATH TROMMEL=${TROMMEL:-$1/bin/trommel} "$1/bin/python" -m pytest -q -rs -p no:cacheprovider "pipelines/$2" || failed+=("$2")
}

install "$environment" maturin "${packages[@]}"
if [ -z "${TROMMEL_WHEEL:-}" ]; then
    TROMMEL_VENV=$environment scripts/wheel.sh build out/wheel
    TROMMEL_WHEEL=$(ls -t out/wheel/trommel_text-*.whl | head -n 1)
fi
TROMMEL_WHEEL=$(realpath "$TROMMEL_WHEEL")

failed=()
for recipe in "${@:-all}"; do
    case $recipe in
    all) recipes=(langchain llama-index slurm tables hard-pages duckdb polars daft datatrove curator ray spark beam flink) ;;
    *) recipes=("$recipe") ;;
    esac
    for one in "${recipes[@]}"; do
        case $one in
        beam | flink)
            # Each pins versions that the others do not bear.
            if install "$environment-$one" "apache-$one"; then
                check "$environment-$one" "$one"
            else
                echo "skipped: apache-$one does not install here"
            fi
            ;;
        curator)
            # dolma wants an older hub client than datatrove, and NumPy 1, which pyarrow 26 no longer loads.
            install "$environment-$one" 'pandas<3' 'pyarrow<26' 'dask[dataframe]'
            install "$environment-$one" dolma || echo "skipped: dolma does not install here"
            check "$environment-$one" "$one"
            ;;
        *) check "$environment" "$one" ;;
        esac
    done
done
[ ${#failed[@]} = 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
