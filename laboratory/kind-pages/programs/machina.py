"""Threads and lists of topics of django-machina: its own template and two others, in its own translations."""

import django_site
from blocks import as_markdown, body, lines, plain
from common import Orders
from machina import MACHINA_MAIN_TEMPLATE_DIR

LANGUAGES = "en de zh-hans fr es it ja cs pl nl pt-br ru".split()
PART = "machina.apps.forum_"
orders = Orders()


def urls():
    from django.urls import include, path

    return [path("forum/", include("machina.urls"))]


client = django_site.start(
    ["django.contrib.humanize", "mptt", "haystack", "widget_tweaks", "machina", "machina.apps.forum", PART + "conversation", PART + "conversation.forum_attachments", PART + "conversation.forum_polls"]
    + [PART + part for part in "feeds moderation search tracking member permission".split()],
    urls, ["machina", MACHINA_MAIN_TEMPLATE_DIR], [PART + "permission.middleware.ForumPermissionMiddleware"], ["machina.core.context_processors.metadata"],
    CACHES={name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"} for name in ("default", "machina_attachments")},
    HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
    MACHINA_FORUM_NAME="Board", MACHINA_DEFAULT_AUTHENTICATED_USER_FORUM_PERMISSIONS=[], MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE=40,
)  # fmt: skip
from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse
from machina.apps.forum_permission.shortcuts import assign_perm
from machina.core.db.models import get_model
from texts import NAMES

Forum, Topic, Post, Profile = get_model("forum", "Forum"), get_model("forum_conversation", "Topic"), get_model("forum_conversation", "Post"), get_model("forum_member", "ForumProfile")
draw = orders.draw
users = [User.objects.create(username=name) for name in NAMES]


def board(site):
    """A new board: its forums, its members' signatures."""
    for user in users:
        signature = draw.choice(("", "", site.texts.sentence()[:90], site.texts.title()))
        User.objects.filter(pk=user.pk).update(date_joined=site.texts.moment())
        Profile.objects.update_or_create(user=user, defaults={"signature": signature, "posts_count": draw.randint(1, 4000)})
    category = Forum.objects.create(name=site.texts.title(1, 3), type=Forum.FORUM_CAT)
    forums = [Forum.objects.create(name=site.texts.title(1, 4), type=Forum.FORUM_POST, parent=category, description=site.texts.sentence()) for _ in range(3)]
    for forum in [category, *forums]:
        for permission in ("can_see_forum", "can_read_forum"):
            assign_perm(permission, AnonymousUser(), forum)
    return forums


def thread(site, forum):
    texts = site.texts.turn()
    subject = texts.title(3, 10)
    topic = Topic.objects.create(forum=forum, subject=subject, poster=draw.choice(users), type=Topic.TOPIC_POST, status=Topic.TOPIC_UNLOCKED, approved=True)
    gold, said = [subject], []
    for number, at in zip(range(draw.choice((1, 2, 3, 4, 5, 8, 12))), texts.moments()):
        blocks = body(texts, quote=draw.choice(said) if said and draw.random() < 0.35 else None)
        said.append(plain(next(block for block in blocks if block[0] == "p")))
        gold += lines(blocks)
        post = Post.objects.create(topic=topic, subject=subject if number == 0 else "Re: " + subject, content=as_markdown(blocks), poster=draw.choice(users), approved=True)
        Post.objects.filter(pk=post.pk).update(created=at)
    Topic.objects.filter(pk=topic.pk).update(views_count=draw.randint(3, 9000))
    url = reverse("forum_conversation:topic", args=(forum.slug, forum.pk, topic.slug, topic.pk))
    orders.emit(site, url, django_site.get(client, site, url), gold, "forum", subject)


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    django_site.CURRENT["extra"] = {
        "board_base": "skinned_board.html" if site.skin else "board_base.html",
        "topic_template": draw.choice(("forum_conversation/topic_detail.html", "forum_conversation/topic_detail.html", "topic_table.html", "topic_cards.html")),
        "MACHINA_FORUM_NAME": site.name,
    }
    forums = board(site)
    for _ in range(12):
        thread(site, draw.choice(forums))
        if orders.enough():
            break
