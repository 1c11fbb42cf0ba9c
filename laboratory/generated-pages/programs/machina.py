"""Pages of django-machina, a forum: topics, forums and the board."""
import sys

import django
from django.conf import settings

theme, lang = sys.argv[1:3]
from machina import MACHINA_MAIN_STATIC_DIR, MACHINA_MAIN_TEMPLATE_DIR
settings.configure(
    DEBUG=False, SECRET_KEY="x", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, LANGUAGE_CODE=lang, USE_I18N=True, USE_TZ=True, STATIC_URL="/static/",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField", SITE_ID=1,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    CACHES={name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name} for name in ("default", "machina_attachments")},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles", "mptt", "haystack", "widget_tweaks",
                    "machina", "machina.apps.forum", "machina.apps.forum_conversation", "machina.apps.forum_conversation.forum_attachments",
                    "machina.apps.forum_conversation.forum_polls", "machina.apps.forum_feeds", "machina.apps.forum_moderation", "machina.apps.forum_search",
                    "machina.apps.forum_tracking", "machina.apps.forum_member", "machina.apps.forum_permission"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware", "machina.apps.forum_permission.middleware.ForumPermissionMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [MACHINA_MAIN_TEMPLATE_DIR], "APP_DIRS": True, "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages",
        "machina.core.context_processors.metadata"]}}],
    STATICFILES_DIRS=[MACHINA_MAIN_STATIC_DIR], HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
    MACHINA_FORUM_NAME=theme.title() + " Forum",
)
django.setup()
from django.core.management import call_command
from django.contrib.auth import get_user_model
from django.test import Client
from machina.core.db.models import get_model
from machina.core.loading import get_class
from django.urls import include, path
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

urlpatterns = [path("community/", include("machina.urls"))]
call_command("migrate", verbosity=0)
texts = Texts(lang[:2], "forum", theme)
chance = texts.random
User = get_user_model()
users = [User.objects.create_user(f"{texts.user()}{n}") for n in range(25)]
Forum, Topic, Post = get_model("forum", "Forum"), get_model("forum_conversation", "Topic"), get_model("forum_conversation", "Post")
assign = get_class("forum_permission.shortcuts", "assign_perm")
anonymous = __import__("django.contrib.auth.models", fromlist=["x"]).AnonymousUser()
for user in users:
    if chance.random() < 0.4:
        profile, _ = get_model("forum_member", "ForumProfile").objects.get_or_create(user=user)
        profile.signature = texts.phrase(60)
        profile.save()
forums, topics = [], []
for n in range(3):
    category = Forum.objects.create(name=texts.phrase(25), type=Forum.FORUM_CAT)
    for m in range(2):
        forums.append(Forum.objects.create(name=mark("L", texts.phrase(30)), description=mark("S", texts.sentence(90)), type=Forum.FORUM_POST, parent=category))
for forum in Forum.objects.all():
    for permission in ("can_see_forum", "can_read_forum"):
        assign(permission, anonymous, forum)
for n in range(30):
    subject = texts.title(70)
    topic = Topic.objects.create(forum=chance.choice(forums), subject=mark("T", subject), poster=chance.choice(users), type=Topic.TOPIC_POST, status=Topic.TOPIC_UNLOCKED, approved=True)
    for m in range(1 + int(chance.expovariate(1 / 5))):
        body = "\n\n".join(mark("B", line) for line in texts.post())
        Post.objects.create(topic=topic, poster=chance.choice(users), subject=("Re: " if m else "") + (subject if m else mark("T", subject)), content=body, approved=True)
    topics.append(topic)
capture, client = Capture("forum", "machina", theme, lang[:2]), Client()
for topic in topics:
    url = f"/community/forum/{topic.forum.slug}-{topic.forum.pk}/topic/{topic.slug}-{topic.pk}/"
    capture.add(url, client.get(url), ".container, #main_container", "TB", drop=[".breadcrumb"])
for forum in forums:
    url = f"/community/forum/{forum.slug}-{forum.pk}/"
    capture.add(url, client.get(url), ".topiclist, .forumlist, .topics, .forum-list", "T", page_type="listing")
