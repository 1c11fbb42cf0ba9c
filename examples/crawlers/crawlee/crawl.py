"""Crawls one site with Crawlee and writes a document a line: python crawl.py URL OUT.jsonl

TROMMEL_URL names the service (default http://127.0.0.1:8642), TROMMEL_TOKEN its token.
"""

import asyncio
import json
import os
import sys

import httpx
from crawlee.crawlers import BeautifulSoupCrawler, BeautifulSoupCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

SERVICE = os.environ.get("TROMMEL_URL", "http://127.0.0.1:8642")
TOKEN = os.environ.get("TROMMEL_TOKEN")


async def extract(client, url, body, content_type):
    """The document of a page."""
    headers = {"Content-Type": content_type or "text/html"}
    if TOKEN:
        headers["Authorization"] = f"Bearer {TOKEN}"
    while True:
        answer = await client.post("/extract", params={"url": url}, content=body, headers=headers)
        if answer.status_code != 429:
            break
        await asyncio.sleep(float(answer.headers.get("Retry-After", 1)))
    answer.raise_for_status()
    return answer.json()


async def main(start, out):
    crawler = BeautifulSoupCrawler(storage_client=MemoryStorageClient())
    async with httpx.AsyncClient(base_url=SERVICE, timeout=30) as client:
        with open(out, "w", encoding="utf-8") as lines:

            @crawler.router.default_handler
            async def handle(context: BeautifulSoupCrawlingContext):
                body = await context.http_response.read()
                content_type = context.http_response.headers.get("content-type")
                document = await extract(client, context.request.loaded_url, body, content_type)
                lines.write(json.dumps(document, ensure_ascii=False) + "\n")
                await context.enqueue_links()

            await crawler.run([start])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
