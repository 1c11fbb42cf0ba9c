"""The Spark job of the rehearsal: spark_job.py LIST OUT. A task is an archive, into an output of its own."""

import os
import sys
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession
from trommel_text import shards

# A worker that was killed may leave another attempt at its archive running for a moment; machines are lost all the time.
PATIENCE = {"spark.task.maxFailures": "100", "spark.deploy.maxExecutorRetries": "-1", "spark.excludeOnFailure.enabled": "false"}


def main() -> None:
    listed, out = sys.argv[1:]
    inputs = Path(listed).read_text().split()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.executor.memory", "512m")
    for key, value in {"spark.ui.enabled": "false", **PATIENCE}.items():
        builder = builder.config(key, value)
    context = builder.getOrCreate().sparkContext
    context.setLogLevel("ERROR")
    context.parallelize(inputs, len(inputs)).foreach(lambda path: shards.run_shard(path, out, jobs=1))
    context.stop()


if __name__ == "__main__":
    main()
