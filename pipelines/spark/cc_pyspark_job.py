"""Main text by cc-pyspark, a whole archive a call: put cc-pyspark's folder on the path.

spark-submit --py-files sparkcc.py pipelines/spark/cc_pyspark_job.py --input_base_url s3://commoncrawl/ warc.paths texts
"""

from collections.abc import Iterator
from typing import IO

from pyspark.sql.types import FloatType, StringType, StructField, StructType
from sparkcc import CCFileProcessorSparkJob
from trommel_text.ccpyspark import documents_of_file


class MainTextJob(CCFileProcessorSparkJob):
    """Id, URL, language, text and confidence of each document."""

    name = "MainText"
    output_schema = StructType(
        [
            StructField("id", StringType()),
            StructField("url", StringType()),
            StructField("lang", StringType()),
            StructField("text", StringType()),
            StructField("confidence", FloatType()),
        ]
    )

    def process_file(self, uri: str, tempfd: IO[bytes]) -> Iterator[tuple[str, str | None, str | None, str, float]]:
        yield from documents_of_file(uri, tempfd)


if __name__ == "__main__":
    MainTextJob().run()
