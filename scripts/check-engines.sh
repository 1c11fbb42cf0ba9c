#!/usr/bin/env bash
# Runs the recipes of pipelines/ against the real engines: Spark, Ray, datatrove (with trafilatura), Dask, Delta, Iceberg, Lance,
# DuckDB, Polars, and dolma where it installs. Some GB of packages, minutes. Needs Java 17 for Spark.
#   TROMMEL_VENV=FOLDER      where the packages go (default: in the cache folder)
#   TROMMEL_WHEEL=FILE       a wheel that is built already
#   TROMMEL=PROGRAM          `trommel`, to compare with the program instead of the module's own run; tables and hard-pages need it
#   TROMMEL_SHARED=FOLDER    labelled sets to make the 40 archives of; the sample without it
#   TROMMEL_RECORDS=N        records taken of each set (default 400)
set -euo pipefail
cd "$(dirname "$0")/.."

environment=${TROMMEL_VENV:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/trommel-engines}
[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
PATH=$environment/bin:$PATH
pip install -q maturin pytest pyarrow 'pandas<3' zstandard pyspark 'ray[data]' datatrove orjson warcio faust-cchardet \
    python-magic trafilatura lxml_html_clean 'dask[dataframe]' \
    deltalake 'pyiceberg[sql-sqlite,pyarrow]' pylance duckdb polars
pip install -q dolma || echo "skipped: dolma does not install here"
if [ -z "${TROMMEL_WHEEL:-}" ]; then
    TROMMEL_VENV=$environment scripts/wheel.sh build out/wheel
    TROMMEL_WHEEL=$(ls -t out/wheel/trommel_text-*.whl | head -n 1)
fi
pip install -q --force-reinstall --no-deps "$TROMMEL_WHEEL"
for recipe in slurm datatrove curator ray spark tables hard-pages; do
    echo "== $recipe"
    if [[ "$recipe" = tables || "$recipe" = hard-pages ]] && ! command -v "${TROMMEL:-trommel}" >/dev/null; then
        echo "skipped: no program trommel; name it in TROMMEL"
        continue
    fi
    pytest -q -rs -p no:cacheprovider "pipelines/$recipe"
done
