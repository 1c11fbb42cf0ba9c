"""Pages of Spirit, a forum: topics and categories."""
import sys


theme, lang = sys.argv[1:3]
from generator import django_site

apps = ("django.contrib.admin django.contrib.humanize spirit.core spirit.admin spirit.search spirit.user spirit.user.admin spirit.user.auth spirit.category spirit.category.admin spirit.topic spirit.topic.admin "
        "spirit.topic.favorite spirit.topic.moderate spirit.topic.notification spirit.topic.private spirit.topic.unread spirit.comment spirit.comment.bookmark spirit.comment.flag spirit.comment.flag.admin "
        "spirit.comment.history spirit.comment.like spirit.comment.poll djconfig haystack").split()
caches = {name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name} for name in ("default", "st_rate_limit")}
migrate = django_site.configure(lang, __name__, apps, middleware=["djconfig.middleware.DjConfigMiddleware"], context=["djconfig.context_processors.config", "django.template.context_processors.tz"],
                                CACHES=caches, HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}, ST_SITE_URL="http://x.example/", TIME_ZONE="UTC", LOGIN_URL="spirit:user:auth:login", LOGIN_REDIRECT_URL="spirit:user:update")
from django.urls import include, path
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

urlpatterns = [path("", include("spirit.urls"))]
migrate()
from django.contrib.auth import get_user_model
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.core.utils.markdown import Markdown
from spirit.topic.models import Topic

texts = Texts(lang[:2], "forum", "spirit " + theme)
chance = texts.random
users = [get_user_model().objects.create_user(f"{texts.user()}{n}", f"a{n}@x.example", "x") for n in range(25)]
categories = [Category.objects.create(title=texts.phrase(25), description=mark("S", texts.sentence(100))) for _ in range(6)]
topics = []
for n in range(32):
    topic = Topic.objects.create(user=chance.choice(users), category=chance.choice(categories), title=mark("T", texts.title(80)), slug=f"t{n}", view_count=chance.randrange(900))
    count = 1 + int(chance.expovariate(1 / 6))
    for m in range(count):
        body = "\n\n".join(mark("B", line) for line in texts.post())
        Comment.objects.create(user=chance.choice(users), topic=topic, comment=body, comment_html=Markdown().render(body), likes_count=chance.randrange(4))
    Topic.objects.filter(pk=topic.pk).update(comment_count=count)
    topics.append(topic)
capture, client = Capture("forum", "spirit", theme, lang[:2]), django_site.client()
for topic in topics:
    url = topic.get_absolute_url()
    capture.add(url, client.get(url), "body", "TB", drop=[".breadcrumb", "nav", "footer", "aside"])
for category in categories:
    capture.add(category.get_absolute_url(), client.get(category.get_absolute_url()), "body", "T", page_type="listing")
capture.add("/", client.get("/"), "body", "T", page_type="listing")
