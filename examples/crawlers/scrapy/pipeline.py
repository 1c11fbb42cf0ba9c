"""Main text of pages in Scrapy, by the trommel service.

In settings.py:

    ITEM_PIPELINES = {"pipeline.TrommelPipeline": 300}
    TROMMEL_URL = "http://127.0.0.1:8642"   # TROMMEL_TOKEN, if the service wants one

A spider yields its response as an item: ``yield {"response": response}``. The pipeline puts the document
in its place. Requests go through Scrapy's own downloader, so nothing blocks.
"""

import asyncio
import json
from urllib.parse import urlencode

from scrapy import Request
from scrapy.exceptions import DropItem

RETRIES = 10


class TrommelPipeline:
    def __init__(self, crawler):
        self.crawler = crawler
        self.url = crawler.settings.get("TROMMEL_URL", "http://127.0.0.1:8642")
        self.token = crawler.settings.get("TROMMEL_TOKEN")

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_item(self, item):
        response = item["response"]
        query = urlencode({"url": response.url, "status": response.status})
        # The charset that the server named is part of its Content-Type.
        headers = {
            "Content-Type": response.headers.get("Content-Type", b"text/html"),
            "Accept": "application/json",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = Request(
            f"{self.url}/extract?{query}",
            method="POST",
            body=response.body,
            headers=headers,
            dont_filter=True,
            # Neither robots.txt nor retries of Scrapy's own are meant for the service.
            meta={"dont_obey_robotstxt": True, "dont_retry": True, "handle_httpstatus_all": True},
        )
        for _ in range(RETRIES):
            answer = await self.crawler.engine.download_async(request.copy())
            if answer.status != 429:
                break
            await asyncio.sleep(float(answer.headers.get("Retry-After", b"1")))
        if answer.status != 200:
            raise DropItem(f"{response.url}: {answer.status} {answer.text[:200]}")
        dropped = answer.headers.get("X-Trommel-Dropped")
        if dropped:
            raise DropItem(f"{response.url}: {dropped.decode()}")
        return json.loads(answer.text)
