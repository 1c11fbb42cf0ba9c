"""Pages of EverShop, a shop in React rendered on the server: products and categories.

Needs an EverShop with a PostgreSQL, built by build.sh, in EVERSHOP_FOLDER; its seed data are replaced."""
import json
import os
import subprocess
import time

import requests

from generator.capture import WORK, Capture
from generator.marks import mark
from generator.texts import Texts

ROOT = os.environ.get("EVERSHOP_FOLDER", "/tmp/pages/n/evershop")
SEED = ROOT + "/node_modules/@evershop/evershop/dist/bin/seed/data"
PORT = "8454"
ENVIRONMENT = {**os.environ, "DB_HOST": "127.0.0.1", "DB_PORT": "5544", "DB_NAME": "evershop", "DB_USER": "postgres", "DB_PASSWORD": "x", "DB_SSLMODE": "disable", "NODE_ENV": "production", "PORT": PORT}


def rich(blocks):
    """Text in the form of EverShop's editor."""
    return [{"id": "r__1", "size": 1, "className": "md:grid-cols-1", "columns": [{"size": 1, "id": "c__1", "data": {"time": 1, "version": "2.31.0", "blocks": [{"id": f"b{n}", **block} for n, block in enumerate(blocks)]}}]}]


paragraph = lambda text: {"type": "paragraph", "data": {"text": text}}
texts = Texts("en", "product", "evershop")
chance = texts.random
categories = [{"name": mark("T", texts.phrase(25)), "url_key": f"c{n}", "meta_title": "c", "meta_description": "c", "meta_keywords": "", "status": 1, "include_in_nav": 1, "show_products": 1, "position": n,
               "description": rich([paragraph(mark("B", texts.sentence(160)))])} for n in range(5)]
products = []
for n in range(28):
    lines = [mark("B", line) for line in texts.paragraphs(2, 5, 700)]
    blocks = [paragraph(lines[0])] + ([{"type": "list", "data": {"style": "unordered", "items": [{"content": line, "items": []} for line in lines[1:]]}}] if n % 3 == 0 else [paragraph(line) for line in lines[1:]])
    products.append({"type": "simple", "visibility": True, "status": True, "sku": f"SKU-{n}", "name": mark("T", texts.title(70)), "url_key": f"p{n}", "price": chance.randrange(5, 900), "weight": 300, "meta_title": "p", "meta_description": "p", "meta_keywords": "",
                     "description": rich(blocks), "qty": 100, "manage_stock": True, "stock_availability": True, "collections": [], "category": f"c{n % 5}", "images": [], "attributes": []})
for name, value in (("categories", categories), ("products", products)):
    with open(f"{SEED}/{name}.json", "w") as file:
        json.dump(value, file)
server = subprocess.Popen(["npx", "evershop", "start"], cwd=ROOT, env=ENVIRONMENT, stdout=open(f"{WORK}/evershop.log", "w"), stderr=subprocess.STDOUT)
try:
    for _ in range(40):
        time.sleep(2)
        try:
            requests.get(f"http://127.0.0.1:{PORT}/", timeout=20)
            break
        except requests.RequestException:
            pass
    print(subprocess.run(["npx", "evershop", "seed", "--categories", "--products"], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True).stdout[-400:])
    capture = Capture("shop", "evershop", "default")
    for prefix, rows, marks, page_type in (("c", categories, "TB", "listing"), ("p", products, "TB", "product")):
        for n in range(len(rows)):
            for path in (f"/{prefix}{n}", f"/category/{prefix}{n}", f"/product/{prefix}{n}"):
                response = requests.get(f"http://127.0.0.1:{PORT}{path}", timeout=60)
                if response.status_code == 200:
                    capture.add(path, response.text, "main", marks, drop=["nav", "[class*=breadcrumb]", "[class*=related]"], page_type=page_type)
                    break
            else:
                print("none:", prefix, n)
finally:
    server.terminate()
