"""Articles of django-wiki, in its own translations."""

import logging

import django_site
from blocks import as_markdown, body, lines
from common import Orders

LANGUAGES = "en de zh-hans fr es it ja cs pl nl pt-br ru sv da nb".split()
orders = Orders()


def urls():
    from django.urls import include, path

    return [path("notifications/", include("django_nyt.urls")), path("accounts/", include("django.contrib.auth.urls")), path("", include("wiki.urls"))]


client = django_site.start(
    "django.contrib.humanize django_nyt.apps.DjangoNytConfig mptt sekizai sorl.thumbnail wiki.apps.WikiConfig wiki.plugins.attachments.apps.AttachmentsConfig wiki.plugins.notifications.apps.NotificationsConfig wiki.plugins.images.apps.ImagesConfig wiki.plugins.macros.apps.MacrosConfig".split(),
    urls, ["wiki"], processors=["sekizai.context_processors.sekizai"], WIKI_ANONYMOUS=True,
)  # fmt: skip
from django.contrib.auth.models import User
from django.contrib.sites.models import Site as Host
from wiki.models import Article, ArticleRevision, URLPath

logging.disable(logging.CRITICAL)
draw, user = orders.draw, User.objects.create(username="editor")
Host.objects.get_or_create(pk=1, defaults={"domain": "wiki.example", "name": "wiki"})
root = URLPath.create_root(title="Wiki", content="")


def article(site, number):
    texts = site.texts.turn()
    title = texts.title(1, 5)
    blocks = body(texts, 3, 10, heads=0.4, lists=0.4, code=0.15)
    contents = "[TOC]\n\n" if draw.random() < 0.4 and any(kind == "head" for kind, _ in blocks) else ""
    path = URLPath.create_urlpath(root, f"page-{number}", title=title, content=contents + as_markdown(blocks), user_message="", user=user, ip_address="127.0.0.1", article_kwargs={"owner": user, "group_read": True, "other_read": True})
    return title, lines(blocks), path


for number, site in enumerate(orders.sites(LANGUAGES)):
    django_site.show(site)
    django_site.CURRENT["extra"] = {"wiki_base": "skinned.html" if site.skin else "wiki/base_site.html"}
    for at in range(6):
        title, gold, path = article(site, f"{number}-{at}")
        url = path.get_absolute_url()
        orders.emit(site, url, django_site.get(client, site, url), [title, *gold], "documentation", title)
        if orders.enough():
            break
