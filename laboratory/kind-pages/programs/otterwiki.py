"""Articles of An Otter Wiki, whose words are English; the texts are in several languages."""

import os
import tempfile

os.environ.update(REPOSITORY=tempfile.mkdtemp(), SQLALCHEMY_DATABASE_URI="sqlite:///:memory:", SECRET_KEY="made-for-these-pages", SECURITY_HEADERS="False")
from blocks import as_markdown, body, lines
from common import Orders
from otterwiki.gitstorage import GitStorage

GitStorage(os.environ["REPOSITORY"], initialize=True)
orders = Orders()
from otterwiki.server import app, storage

import otterwiki.views

LANGUAGES = "en de zh fr es it ja cs pl nl pt ru sv".split()
draw, client = orders.draw, app.test_client()


def article(site, number):
    texts = site.texts.turn()
    title = texts.title(1, 5)
    blocks = body(texts, 3, 10, heads=0.4, lists=0.4, code=0.25)
    storage.store(f"page{number}.md", f"# {title}\n\n" + as_markdown(blocks, fence=True), message="added", author=("Editor", "a@mail.example"))
    page = client.get(f"/Page{number}")
    assert page.status_code == 200, page.status_code
    return title, [title, *lines(blocks)], orders.dressed(site, page.data)


number = 0
for site in orders.sites(LANGUAGES):
    app.config.update(SITE_NAME=site.name, SITE_LANG=site.language, SIDEBAR_SHORTCUTS=draw.choice(("home pageindex createpage", "home", "home pageindex changelog")))
    for _ in range(6):
        number += 1
        title, gold, page = article(site, number)
        orders.emit(site, f"/Page{number}", page, gold, "documentation", title)
        if orders.enough():
            break
