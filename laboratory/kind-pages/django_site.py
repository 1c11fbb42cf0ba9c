"""A Django project in memory around an app from a registry, and pages of it as an anonymous visitor gets them."""

import os
import pathlib
import sys
import types

import django
from django.conf import settings

HERE = pathlib.Path(__file__).parent
CONTRIB = ["auth", "contenttypes", "sessions", "messages", "sites", "staticfiles"]
CURRENT = {}


def skin(_request):
    """A context processor: what the current site puts around the program's part."""
    site = CURRENT.get("site")
    return {"skin": site and site.skin, "site_name": site and site.name, **CURRENT.get("extra", {})}


def start(apps, urls, templates=(), middleware=(), processors=(), loaders=None, contrib=CONTRIB, **more):
    """Configures and migrates; `urls` is a function that gives the patterns once the apps are loaded."""
    engine = {"context_processors": [
        "django.template.context_processors.debug", "django.template.context_processors.request", "django.template.context_processors.static",
        "django.template.context_processors.media", "django.template.context_processors.i18n", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages", "django_site.skin", *processors,
    ]}  # fmt: skip
    if loaders:
        engine["loaders"] = loaders
    module = types.ModuleType("made_urls")
    module.urlpatterns = []
    sys.modules["made_urls"] = module
    options = dict(
        SECRET_KEY="made", DEBUG=False, ALLOWED_HOSTS=["*"], USE_TZ=True, TIME_ZONE="UTC", USE_I18N=True, ROOT_URLCONF="made_urls", SITE_ID=1,
        STATIC_URL="/static/", MEDIA_URL="/media/", MEDIA_ROOT="/tmp/kind-pages-media", STATIC_ROOT="/tmp/kind-pages-static",
        LANGUAGE_CODE="en", DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=["django.contrib." + app for app in contrib] + list(apps),
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.locale.LocaleMiddleware", "django.middleware.common.CommonMiddleware",
                    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware", *middleware],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [str(HERE / "templates" / t) for t in templates if not os.path.isabs(t)] + [t for t in templates if os.path.isabs(t)],
                    **({} if loaders else {"APP_DIRS": True}), "OPTIONS": engine}],
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", LOGGING_CONFIG=None,
    )  # fmt: skip
    options.update(more)
    settings.configure(**options)
    django.setup()
    module.urlpatterns[:] = urls()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, run_syncdb=True, interactive=False)
    from django.test import Client

    return Client()


def show(site):
    """Makes a site the current one, in its language."""
    from django.core.cache import cache
    from django.utils import translation

    CURRENT["site"] = site
    cache.clear()
    translation.activate(site.language)


def get(client, site, url):
    from django.utils import translation

    answer = client.get(url, follow=True, HTTP_ACCEPT_LANGUAGE=site.language, HTTP_HOST=site.host)
    if answer.status_code != 200:
        raise SystemExit(f"{url}: {answer.status_code}")
    translation.activate(site.language)
    if getattr(answer, "streaming", False):
        return b"".join(answer.streaming_content)
    return answer.content
