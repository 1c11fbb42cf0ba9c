"""Questions with answers and comments, and lists of questions, of askbot in its own translations."""

import django_site
from blocks import as_markdown, body, lines
from common import Orders
from jinja2.runtime import Undefined

LANGUAGES = "en de zh-cn fr es it ja cs pl nl pt-br ru sv nb".split()
orders = Orders()
PROCESSORS = ["askbot.context.application_settings", "askbot.user_messages.context_processors.user_messages", "django.contrib.messages.context_processors.messages", "django.contrib.auth.context_processors.auth"]


def urls():
    from django.urls import include, path

    return [path("", include("askbot.urls")), path("followit/", include("followit.urls"))]


client = django_site.start(
    "askbot askbot.deps.django_authopenid django.contrib.admin django.contrib.humanize django.contrib.sitemaps avatar django_recaptcha compressor django_jinja django_countries followit keyedcache livesettings".split(),
    urls, USE_TZ=True, STATIC_URL="/m/", ADMIN_MEDIA_PREFIX="/m/admin/", MEDIA_URL="/upfiles/", ASKBOT_URL="", ASKBOT_TRANSLATE_URL=False, ALLOW_UNICODE_SLUGS=False, ASKBOT_USE_STACKEXCHANGE_URLS=False,
    ASKBOT_LANGUAGE_MODE="single-lang", LOGIN_REDIRECT_URL="/", NOCAPTCHA=True, ENABLE_HAYSTACK_SEARCH=False, NOTIFICATION_DELAY_TIME=300, ASKBOT_CSS_DEVEL=False,
    ASKBOT_ALLOWED_UPLOAD_FILE_TYPES=(".jpg",), ASKBOT_MAX_UPLOAD_FILE_SIZE=1, COMPRESS_ENABLED=False, COMPRESS_PRECOMPILERS=(), COMPRESS_FILTERS={"css": [], "js": []}, COMPRESS_PARSER="compressor.parser.HtmlParser",
    JINJA2_EXTENSIONS=("compressor.contrib.jinja2ext.CompressorExtension",), JINJA2_TEMPLATES=("django_recaptcha",), AVATAR_AUTO_GENERATE_SIZES=(16, 32, 48, 128), VERIFIER_EXPIRE_DAYS=3,
    CELERY_TASK_ALWAYS_EAGER=True, CELERY_BROKER_TRANSPORT="kombu.transport.memory.Transport", LIVESETTINGS_CACHE_TIMEOUT=6000, CSRF_COOKIE_NAME="_csrf",
    SESSION_SERIALIZER="django.contrib.sessions.serializers.JSONSerializer", SILENCED_SYSTEM_CHECKS=["django_recaptcha.recaptcha_test_key_error"],
    FILE_UPLOAD_TEMP_DIR="/tmp", INTERNAL_IPS=("127.0.0.1",), USE_LOCAL_FONTS=False, LANGUAGES=[(code, code) for code in LANGUAGES], ATOMIC_REQUESTS=True, ASKBOT_SELF_TEST=False,
    AUTHENTICATION_BACKENDS=("django.contrib.auth.backends.ModelBackend", "askbot.deps.django_authopenid.backends.AuthBackend"),
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "TIMEOUT": 6000}},
    TEMPLATES=[
        {"BACKEND": "django.template.backends.jinja2.Jinja2", "APP_DIRS": True, "DIRS": [], "OPTIONS": {"environment": "askbot.skins.jinja2_environment.factory", "autoescape": False, "undefined": Undefined, "context_processors": PROCESSORS}},
        {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "DIRS": [], "OPTIONS": {"context_processors": ["django.template.context_processors.request", *PROCESSORS]}},
    ],
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware", "django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.messages.middleware.MessageMiddleware", "django.middleware.common.CommonMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware", "askbot.middleware.analytics_session.AnalyticsSessionMiddleware", "askbot.middleware.anon_user.ConnectToSessionMessagesMiddleware",
                "askbot.middleware.forum_mode.ForumModeMiddleware", "askbot.middleware.cancel.CancelActionMiddleware", "askbot.middleware.view_log.ViewLogMiddleware"],
)  # fmt: skip
from askbot.conf import settings as live
from askbot.models import User
from texts import NAMES

draw = orders.draw
users = [User.objects.create_user(username=name, email=f"{at}@mail.example") for at, name in enumerate(NAMES)]
for user in users:
    user.set_status("d")
    user.reputation = 900
    user.save()


def question(site):
    texts = site.texts.turn()
    moments = texts.moments()
    title = texts.title(4, 12)
    title = title + "?" if title[-1] not in "?？" and draw.random() < 0.4 else title
    blocks = body(texts, 1, 3, code=0.25)
    tags = " ".join(draw.sample("harbour rope paint engine anchor compass lamp keel mast".split(), draw.randint(1, 4)))
    asker = draw.choice(users)
    asked = asker.post_question(title=title, body_text=as_markdown(blocks), tags=tags, timestamp=next(moments), language=site.language)
    gold = [title] + lines(blocks) + comments(asked, texts, moments)
    for author in draw.sample([user for user in users if user != asker], draw.choice((0, 1, 1, 2, 3, 5))):
        blocks = body(texts, 1, 3, code=0.2)
        answer = author.post_answer(question=asked, body_text=as_markdown(blocks), timestamp=next(moments))
        gold += lines(blocks) + comments(answer, texts, moments)
    return asked, title, gold


def comments(post, texts, moments):
    gold = []
    for _ in range(draw.choice((0, 0, 0, 1, 2))):
        text = texts.sentence()
        draw.choice(users).post_comment(parent_post=post, body_text=text, timestamp=next(moments))
        gold.append(text)
    return gold


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    for _ in range(8):
        asked, title, gold = question(site)
        url = asked.get_absolute_url() + "?sort=oldest"
        orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "forum", title, thing="question")
        if orders.enough():
            break
