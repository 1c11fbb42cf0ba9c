"""Crawls one site with the pipeline and writes a document a line: python crawl.py URL OUT.jsonl"""

import sys

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class SiteSpider(Spider):
    name = "site"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
        self.links = LinkExtractor(allow=[start.rsplit("/", 1)[0]])

    def parse(self, response):
        if hasattr(response, "text"):
            yield {"response": response}
            if response.url in self.start_urls:
                for link in self.links.extract_links(response):
                    yield response.follow(link.url, self.parse)


if __name__ == "__main__":
    start, out = sys.argv[1:]
    process = CrawlerProcess({
        "ITEM_PIPELINES": {"pipeline.TrommelPipeline": 300},
        "FEEDS": {out: {"format": "jsonlines"}},
        "HTTPERROR_ALLOW_ALL": True,
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
    })
    process.crawl(SiteSpider, start=start)
    process.start()
