"""A Django site in one process: settings, an empty database in memory, and a client that fetches its pages."""
import django
from django.conf import settings


def configure(lang, urls, apps, database=":memory:", middleware=(), context=(), template_folders=(), **more):
    """Starts Django with the usual settings and those of the program."""
    values = dict(
        DEBUG=False, SECRET_KEY="generated", ALLOWED_HOSTS=["*"], ROOT_URLCONF=urls, LANGUAGE_CODE=lang, USE_I18N=True, USE_TZ=True, SITE_ID=1,
        STATIC_URL="/static/", STATIC_ROOT="/tmp/static", MEDIA_URL="/media/", MEDIA_ROOT="/tmp/media", DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}}, EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles", *apps],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                    "django.contrib.messages.middleware.MessageMiddleware", *middleware],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": list(template_folders), "APP_DIRS": True, "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.template.context_processors.i18n", "django.template.context_processors.static", "django.template.context_processors.media",
            "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages", *context]}}])
    values.update(more)
    settings.configure(**values)
    django.setup()
    from django.core.management import call_command
    return lambda: call_command("migrate", verbosity=0, run_syncdb=True)


def client():
    from django.test import Client
    return Client()
