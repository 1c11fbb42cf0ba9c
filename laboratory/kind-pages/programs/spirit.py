"""Threads and lists of topics of Spirit, in its own translations."""

import django_site
from blocks import as_markdown, body, lines, plain
from common import Orders
from spirit.extra.project_template.project_name.settings import base

LANGUAGES = "en de zh-hans fr es it pl ru sv".split()
orders = Orders()


def urls():
    from django.urls import include, path

    return [path("", include("spirit.urls"))]


client = django_site.start(
    [app for app in base.INSTALLED_APPS if app not in {"django.contrib." + contrib for contrib in django_site.CONTRIB}], urls,
    processors=["djconfig.context_processors.config"], contrib=[contrib for contrib in django_site.CONTRIB if contrib != "sites"],
    MIDDLEWARE=[each for each in base.MIDDLEWARE if "LastIP" not in each], HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
    LOGIN_URL=base.LOGIN_URL, AUTHENTICATION_BACKENDS=base.AUTHENTICATION_BACKENDS, ST_TASK_MANAGER=None, ST_SITE_URL="https://spirit.example/",
    CACHES={name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"} for name in ("default", "st_rate_limit")},
)  # fmt: skip
from django.contrib.auth.models import User
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.core.utils.markdown import Markdown
from spirit.topic.models import Topic
from texts import NAMES

draw = orders.draw
users = [User.objects.create(username=name, email=f"{at}@mail.example") for at, name in enumerate(NAMES)]
for user in users:
    user.st.nickname = user.username
    user.st.save()


def thread(site, category):
    texts = site.texts.turn()
    title, said, gold = texts.title(3, 10), [], []
    topic = Topic.objects.create(category=category, title=title, user=draw.choice(users), view_count=draw.randint(3, 900))
    for at, _ in zip(texts.moments(), range(draw.choice((1, 2, 3, 4, 6, 9)))):
        blocks = body(texts, quote=draw.choice(said) if said and draw.random() < 0.3 else None)
        said.append(plain(next(block for block in blocks if block[0] == "p")))
        gold += lines(blocks)
        html = Markdown().render(as_markdown(blocks, fence=True))
        made = Comment.objects.create(topic=topic, user=draw.choice(users), comment=as_markdown(blocks), comment_html=html, likes_count=draw.choice((0, 0, 1, 7)))
        Comment.objects.filter(pk=made.pk).update(date=at)
    url = topic.get_absolute_url()
    orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), [title, *gold], "forum", title)


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    categories = [Category.objects.create(title=site.texts.title(1, 3)) for _ in range(3)]
    for _ in range(8):
        thread(site, draw.choice(categories))
        if orders.enough():
            break
