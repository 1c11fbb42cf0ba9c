"""A Mezzanine project in memory, with its shop."""

import locale

import django_site
from cartridge.project_template.project_name import settings as project


def urls():
    from django.urls import include, path
    from mezzanine.core.views import direct_to_template

    return [path("shop/", include("cartridge.shop.urls")), path("", direct_to_template, {"template": "index.html"}, name="home"), path("", include("mezzanine.urls"))]


def use_currency(code):
    """Prices in a currency, on machines that lack its locale."""
    before, sign = code in ("GBP", "CNY", "JPY"), {"GBP": "£", "EUR": "€", "CNY": "¥", "JPY": "¥", "PLN": "zł", "CZK": "Kč"}.get(code, "kr")
    locale._override_localeconv.update(
        currency_symbol=sign, int_curr_symbol=code, p_cs_precedes=before, n_cs_precedes=before, p_sep_by_space=not before, n_sep_by_space=not before, frac_digits=2, int_frac_digits=2,
        mon_decimal_point="." if before else ",", mon_thousands_sep="," if before else ".", mon_grouping=[3, 0], p_sign_posn=1, n_sign_posn=1, positive_sign="", negative_sign="-",
    )  # fmt: skip


def start():
    """The client; and the language follows the visitor."""
    use_currency("EUR")
    options = {name: value for name, value in vars(project).items() if name.isupper() and name not in ("LANGUAGES", "PROJECT_ROOT", "BASE_DIR", "PROJECT_APP_PATH")}
    middleware = [each for each in project.MIDDLEWARE if "Cache" not in each and "csrf" not in each]
    middleware.insert(1, "django.middleware.locale.LocaleMiddleware")
    templates = dict(project.TEMPLATES[0], DIRS=[])
    options.update(
        MIDDLEWARE=middleware, TEMPLATES=[templates], ROOT_URLCONF="made_urls", USE_I18N=True, ALLOWED_HOSTS=["*"], SECRET_KEY="made", NEVERCACHE_KEY="made", DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        STATIC_URL="/static/", MEDIA_URL="/media/", STATIC_ROOT="/tmp/kind-pages-static", MEDIA_ROOT="/tmp/kind-pages-media", LOGGING_CONFIG=None, SHOP_CURRENCY_LOCALE="C.UTF-8", COMMENTS_ACCOUNT_REQUIRED=False,
    )  # fmt: skip
    return django_site.start([], urls, **options)
