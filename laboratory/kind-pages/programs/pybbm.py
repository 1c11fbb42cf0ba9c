"""Threads of PyBBM, in its own translations."""

import django_site
from blocks import as_bbcode, body, lines, plain
from common import Orders

LANGUAGES = "en de zh fr es it ja pl pt-br ru sv".split()
orders = Orders()


def urls():
    from django.urls import include, path

    names = ("registration_register", "auth_login", "login", "auth_logout", "logout")
    return [path("forum/", include("pybb.urls", namespace="pybb"))] + [path(name, print, name=name) for name in names]


client = django_site.start(
    ["pybb"], urls, ["pybbm"], ["pybb.middleware.PybbMiddleware"], ["pybb.context_processors.processor"], LANGUAGES=[(code, code) for code in LANGUAGES], LOCALE_PATHS=[],
    PYBB_MARKUP="bbcode", PYBB_TOPIC_PAGE_SIZE=40, PYBB_SMILES={}, PYBB_DISABLE_NOTIFICATIONS=True, PYBB_DISABLE_SUBSCRIPTIONS=True, PYBB_ENABLE_ANONYMOUS_POST=False, PYBB_PERMISSION_HANDLER="pybb.permissions.DefaultPermissionHandler",
)  # fmt: skip
from django.contrib.auth.models import User
from pybb.models import Category, Forum, Post, Topic
from pybb.profiles import PybbProfile
from pybb.util import get_pybb_profile
from texts import NAMES

draw = orders.draw
users = [User.objects.create(username=name.replace(".", "_")) for name in NAMES]


def thread(site, forum):
    texts = site.texts.turn()
    title, gold, said = texts.title(3, 10), [], []
    topic = Topic.objects.create(forum=forum, name=title, user=draw.choice(users))
    for at, _ in zip(texts.moments(), range(draw.choice((1, 2, 3, 4, 6, 9)))):
        poster = draw.choice(users)
        blocks = body(texts, quote=draw.choice(said) if said and draw.random() < 0.35 else None)
        said.append(plain(next(block for block in blocks if block[0] == "p")))
        gold += lines(blocks)
        Post.objects.create(topic=topic, user=poster, body=as_bbcode(blocks), created=at)
    url = topic.get_absolute_url()
    orders.emit(site, url, django_site.get(client, site, url), [title] + gold, "forum", title)


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    for user in users:
        profile = get_pybb_profile(user)
        profile.signature = draw.choice(("", "", site.texts.sentence()[:90], site.texts.title()))
        profile.save()
    category = Category.objects.create(name=site.texts.title(1, 3))
    forums = [Forum.objects.create(name=site.texts.title(1, 3), category=category, description=site.texts.sentence()) for _ in range(3)]
    for _ in range(8):
        thread(site, draw.choice(forums))
        if orders.enough():
            break
