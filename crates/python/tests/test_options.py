"""Options of Spark's reader, which come as text."""

import pytest
import trommel_text
from trommel_text._options import SETTINGS, Options


def test_options_are_the_keywords_of_an_extractor():
    given = {"Model": "best", "markdown": "True", "include": "review, comment", "links": "false", "path": "a.warc"}
    options = Options(given)
    assert options.choices == {"model": "best", "markdown": "True", "include": "review, comment", "links": "false"}
    assert options.paths() == ["a.warc"] and Options({"paths": '["a", "b"]'}).paths() == ["a", "b"]
    assert (options.jobs, options.batch_size, options.config, options.on_error) == (1, 1024, None, "report")
    assert Options({"batchSize": "7", "config": '{"text": "markdown"}'}).config == {"text": "markdown"}
    # All that read_warc takes, and nothing else.
    with pytest.raises(TypeError, match="expected one of") as error:
        trommel_text.read_warc("a.warc", nonsense=1)
    known = str(error.value).partition("expected one of ")[2].split(", ")
    assert sorted(known) == sorted([*SETTINGS, "jobs"])
    # Their texts mean what they say.
    texts = trommel_text.document_schema(**Options({"Blocks": "true", "posts": "True"}).choices)
    assert {"blocks", "posts"} < set(texts.column_names) and "spans" not in texts.column_names


@pytest.mark.parametrize(
    "given, told",
    [
        ({"modell": "best"}, "unknown option 'modell'"),
        ({"batch_size": "5"}, "unknown option 'batch_size'"),
        ({"links": "yes"}, "text.links: "),
        ({"min_words": "few"}, "filters.min_words: "),
        ({"jobs": "0"}, "jobs: '0' is no number"),
        ({"batchSize": "x"}, "batchsize: 'x' is no number"),
        ({"onError": "ignore"}, "onError: unknown value 'ignore'"),
    ],
)
def test_what_means_nothing_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        Options(given)
