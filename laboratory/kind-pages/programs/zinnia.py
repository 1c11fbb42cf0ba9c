"""Posts of a blog with comments, and lists of posts, of Zinnia: its own theme and others, in its own translations."""

import django_site
from blocks import as_html, body, lines
from common import Orders

LANGUAGES = "en de zh-hans fr es it cs pl nl pt-br ru sv".split()
orders = Orders()


def urls():
    from django.conf.urls import include, url

    return [url(r"^weblog/", include("zinnia.urls")), url(r"^comments/", include("django_comments.urls"))]


client = django_site.start(
    ([orders.theme] if orders.theme else []) + ["django_comments", "mptt", "tagging", "zinnia"], urls, processors=["zinnia.context_processors.version"],
    loaders=["app_namespace.Loader", "django.template.loaders.app_directories.Loader"], ZINNIA_MARKUP_LANGUAGE="html", ZINNIA_PING_EXTERNAL_URLS=False, ZINNIA_PING_DIRECTORIES=(), ZINNIA_SAVE_PING_DIRECTORIES=False,
)  # fmt: skip
from django.contrib.auth.models import User
from django.contrib.sites.models import Site as Host
from django.utils import translation
from django.utils.html import strip_tags
from django_comments import get_model
from zinnia.managers import PUBLISHED
from zinnia.models import Category, Entry

draw = orders.draw
host = Host.objects.get(pk=1)
User.objects.create(username="ilse", first_name="Ilse", last_name="Brandt")
from zinnia.models.author import Author

author = Author.objects.get(username="ilse")


def post(site, categories, number):
    texts = site.texts.turn()
    blocks = body(texts, 3, 9, heads=0.2, lists=0.2, code=0.06)
    at = texts.moment()
    made = Entry.objects.create(
        title=texts.title(3, 10), content=as_html(blocks), slug="entry-%d" % number, status=PUBLISHED, publication_date=at, creation_date=at, last_update=at, tags="harbour, rope" if draw.random() < 0.5 else "",
        comment_enabled=True, pingback_enabled=draw.random() < 0.5, trackback_enabled=draw.random() < 0.5,
    )  # fmt: skip
    made.sites.add(host)
    made.authors.add(author)
    made.categories.add(draw.choice(categories))
    comments, moments = [], texts.moments()
    for _ in range(draw.choice((0, 0, 1, 3, 6))):
        said = texts.sentence() if draw.random() < 0.6 else texts.paragraph()
        get_model().objects.create(content_object=made, site=host, user_name=texts.name(), comment=said, submit_date=next(moments))
        comments.append(said)
    Entry.objects.filter(pk=made.pk).update(comment_count=len(comments))
    return made, [made.title] + lines(blocks), comments


number = 0
for site in orders.sites(LANGUAGES):
    django_site.show(site)
    Entry.objects.all().delete()
    Category.objects.all().delete()
    categories = [Category.objects.create(title=site.texts.title(1, 2), slug="c%d" % at) for at in range(4)]
    posts = []
    for _ in range(7):
        number += 1
        posts.append(post(site, categories, number))
    for made, gold, comments in posts:
        url = made.get_absolute_url()
        orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "article", made.title, comments=comments)
        if orders.enough():
            break
