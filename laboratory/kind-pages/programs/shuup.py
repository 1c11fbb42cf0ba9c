"""Product pages and category pages of Shuup: its Classic Gray theme, in its own translations."""

import os
import tempfile
from decimal import Decimal

folder = tempfile.mkdtemp()
os.makedirs(folder + "/shop/var")
os.environ.update(SHUUP_WORKBENCH_BASE_DIR=folder + "/shop", DJANGO_SETTINGS_MODULE="shuup_workbench.settings")
import django_site
from blocks import as_html, body, lines
from common import Orders
from shuup_workbench.settings import base_settings
from texts import currency

LANGUAGES = "en de zh-hans es it ja pt-br ru sv".split()
orders = Orders()


class NoMigrations:
    """Tables are made from the models as they are."""

    def __contains__(self, _app):
        return True

    def __getitem__(self, _app):
        return None


def urls():
    from django.urls import include, path

    return [path("sa/", include("shuup.admin.urls", namespace="shuup_admin")), path("", include("shuup.front.urls", namespace="shuup"))]


options = {name: value for name, value in vars(base_settings).items() if name.isupper()}
options.update(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, MIGRATION_MODULES=NoMigrations(), DEBUG=False, LOGGING_CONFIG=None, ROOT_URLCONF="made_urls",
    LANGUAGES=[(code, code) for code in LANGUAGES], PARLER_LANGUAGES={None: [{"code": code} for code in LANGUAGES], "default": {"fallbacks": ["en"], "hide_untranslated": False}}, EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", CACHES={"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}},
)  # fmt: skip
client = django_site.start([], urls, **options)
from django.template.defaultfilters import floatformat
from django.utils.translation import gettext
from shuup.core.catalog import ProductCatalog
from shuup.core.models import Category, Product
from shuup.testing import factories
from shuup.utils.i18n import format_money
from shuup.xtheme import set_current_theme

draw = orders.draw
shop = factories.get_default_shop()
shop.maintenance_mode = False
shop.save()
supplier = factories.get_default_supplier(shop)
unit = factories.get_default_sales_unit()
unit.name, unit.symbol = "Pieces", "pcs"
unit.save()
set_current_theme("shuup.themes.classic_gray", shop)


def product(site, category):
    texts = site.texts.turn()
    blocks = body(texts, 1, 4, heads=0.15, lists=0.4, code=0)
    short = texts.sentence() if draw.random() < 0.5 else ""
    price = Decimal(texts.cents()) / 100
    sizes = {name: draw.randint(2, 900) for name in ("width", "height", "depth", "net_weight", "gross_weight")}
    made = factories.create_product(
        f"S{draw.randint(10**4, 10**8)}", shop=shop, supplier=supplier, default_price=price, name=texts.goods(), description=as_html(blocks), short_description=short, **sizes
    )
    listed = made.get_shop_instance(shop)
    listed.categories.add(category)
    listed.primary_category = category
    listed.save()
    ProductCatalog.index_product(made)
    unit = listed.unit.get_per_values(True)[1]
    amount = format_money(shop.create_price(price))
    head = [made.name, made.sku] + ([short] if short else []) + [f"{amount} / {unit}" if unit else amount]
    facts = [gettext("SKU"), made.sku]
    for label, name, sign in (("Width", "width", "mm"), ("Height", "height", "mm"), ("Depth", "depth", "mm"), ("Net Weight", "net_weight", "g"), ("Gross Weight", "gross_weight", "g")):
        facts += [gettext(label), f"{floatformat(getattr(made, name), 2)} {sign}"]
    return made, head + [gettext("Product Information")] + lines(blocks) + facts, [made.name, amount] + ([short] if short else [])


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    Product.objects.all().delete()
    Category.objects.all().delete()
    shop.currency = currency(site.language[:2])
    shop.save()
    about = body(site.texts, 1, 1, lists=0, code=0) if draw.random() < 0.4 else []
    category = Category.objects.create(name=site.texts.title(1, 3), description=as_html(about))
    category.shops.add(shop)
    products = [product(site, category) for _ in range(draw.choice((4, 8, 11)))]
    for made, gold, _ in draw.sample(products, 4):
        url = f"/p/{made.pk}-{made.slug}/"
        orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "product", made.name)
    url = f"/c/{category.pk}-{category.slug}/"
    page = orders.dressed(site, django_site.get(client, site, url))
    records = [record for at, record in sorted((page.find(f'id="product-{made.pk}"'), record) for made, _, record in products) if at >= 0]
    orders.emit(site, url, page, lines(about) + [line for record in records for line in record], "list", category.name, records=records)
    if orders.enough():
        break
