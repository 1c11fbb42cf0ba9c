"""Reads what check-schema.sh wrote, with inference alone, and compares the schemas.

    check-schema.py FOLDER

Prints a line a reader and form; the exit code is 1 if one failed. A reader that is not installed is
skipped, which is said.
"""

import glob
import importlib
import os
import pathlib
import re
import shutil
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
folder = pathlib.Path(sys.argv[1])
archives = sorted(path for path in folder.iterdir() if path.is_dir())
cache = tempfile.mkdtemp()
failed = False


def files(archive, form):
    suffix = ".parquet" if form.startswith("parquet") else ".jsonl*"
    return sorted(glob.glob(f"{archive}/{form}/*{suffix}"))


def lines(archive):
    return sum(open(file, "rb").read().count(b"\n") for file in files(archive, "jsonl-none"))


counts = [lines(archive) for archive in archives]


def check(name, module, forms):
    """A reader: takes files, gives the number of documents and the schema."""

    def run(body):
        global failed
        try:
            library = importlib.import_module(module)
        except ImportError:
            print(f"skip  {name}: not installed")
            return
        for form in forms:
            try:
                found = [body(library, files(archive, form)) for archive in archives]
                assert [count for count, _ in found] == counts, f"{found} documents, not {counts}"
                schemas = {schema for _, schema in found}
                assert len(schemas) == 1, "\n    ".join(["several schemas:", *schemas])
                every = [file for archive in archives for file in files(archive, form)]
                count, schema = body(library, every)
                assert count == sum(counts), f"{count} documents of all, not {sum(counts)}"
                assert schema in schemas, f"all together: {schema}\n    {schemas}"
                print(f"ok    {name}, {form}: {counts} documents, one schema")
            except Exception as error:
                failed = True
                print(f"FAIL  {name}, {form}: {type(error).__name__}: {error.__cause__ or error}")

    return run


# Readers take text for dates as they find it, each in its own way.
DATES = re.compile(r"timestamp\[s\]|'?(TIMESTAMP( WITH TIME ZONE)?|DATE|VARCHAR)'?")


def without_dates(schema):
    return DATES.sub("string", schema)


JSON = ["jsonl-none", "jsonl-gz", "jsonl-zst", "blocks"]
PARQUET = ["parquet-none"]


@check("Hugging Face datasets", "datasets", JSON + PARQUET)
def _(datasets, paths):
    kind = "parquet" if paths[0].endswith(".parquet") else "json"
    data = datasets.load_dataset(kind, data_files=paths, split="train", cache_dir=cache)
    return len(data), without_dates(str(data.features))


@check("pandas", "pandas", JSON + PARQUET)
def _(pandas, paths):
    # Its columns of text hold whatever there is: the types of the values are what counts.
    read = pandas.read_parquet if paths[0].endswith(".parquet") else pandas.read_json
    options = {} if read is pandas.read_parquet else {"lines": True, "dtype": False}
    data = pandas.concat([read(path, **options) for path in paths])
    types = {key: {type(value).__name__ for value in data[key]} for key in data}
    if read is pandas.read_json:
        assert all(len(found) == 1 for found in types.values()), types
    return len(data), str(list(data.columns))


@check("polars", "polars", JSON + PARQUET)
def _(polars, paths):
    # Folders of runs, where a manifest and a saved state stand beside the documents.
    globs = [re.sub(r"[^/]*(\.(?:jsonl|parquet)[^/]*)$", r"*\1", path) for path in paths]
    read = polars.scan_parquet if paths[0].endswith(".parquet") else polars.scan_ndjson
    data = polars.concat([read(glob).collect() for glob in globs])
    return len(data), str(data.schema)


@check("DuckDB", "duckdb", JSON + PARQUET)
def _(duckdb, paths):
    read = "read_parquet" if paths[0].endswith(".parquet") else "read_json_auto"
    data = duckdb.sql(f"select * from {read}({paths})")
    # What cannot be cast is only found by reading it.
    rows = len(data.fetchall())
    return rows, without_dates(", ".join(f"{c} {t}" for c, t in zip(data.columns, data.types)))


@check("pyarrow", "pyarrow.json", ["jsonl-none", "jsonl-gz", "blocks"])
def _(json, paths):
    import pyarrow

    dates = pyarrow.schema([(key, pyarrow.string()) for key in ["date", "published", "modified"]])
    options = json.ParseOptions(explicit_schema=dates)
    table = pyarrow.concat_tables([json.read_json(path, parse_options=options) for path in paths])
    return len(table), str(sorted((field.name, str(field.type)) for field in table.schema))


@check("Spark", "pyspark.sql", ["jsonl-none", "jsonl-gz", "blocks"] + PARQUET)
def _(sql, paths):
    if not shutil.which("java"):
        raise RuntimeError("no java")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    data = spark.read.parquet(*paths) if paths[0].endswith(".parquet") else spark.read.json(paths)
    assert "_corrupt_record" not in data.columns
    return data.count(), data.schema.simpleString()


shutil.rmtree(cache, ignore_errors=True)
sys.exit(failed)
