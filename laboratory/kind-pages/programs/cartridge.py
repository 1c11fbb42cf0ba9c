"""Product pages and category pages of Cartridge, the shop of Mezzanine, in its own translations."""

from decimal import Decimal

import django_site
import mezzanine_site
from blocks import as_html, body, lines
from common import Orders, spoken
from texts import currency as currency_of

LANGUAGES = "en de zh-cn fr es it ja cs pl nl pt-br ru sv da nb".split()
orders = Orders()
client = mezzanine_site.start()
from cartridge.shop.models import Category, Product, ProductVariation
from cartridge.shop.templatetags.shop_tags import currency
from django.utils.translation import gettext
from mezzanine.conf import settings

draw = orders.draw


def product(site, category):
    texts = site.texts.turn()
    blocks = body(texts, 1, 4, heads=0.15, lists=0.4, code=0)
    price = Decimal(texts.cents()) / 100
    sale = (price * Decimal("0.8")).quantize(Decimal("0.01")) if draw.random() < 0.25 else None
    made = Product.objects.create(title=texts.goods(), content=as_html(blocks), status=2, available=True, unit_price=price, sale_price=sale, publish_date=texts.moment())
    made.categories.add(category)
    ProductVariation.objects.create(product=made, default=True, unit_price=price, sale_price=sale, num_in_stock=draw.choice((3, 40)), sku=f"K{made.pk}")
    made.copy_default_variation()
    prices = [f"{currency(price)} {gettext('On sale:')} {currency(sale)}"] if made.on_sale() else [currency(price)]
    return made, prices, [made.title, *lines(blocks), *prices]


for number, site in enumerate(orders.sites(LANGUAGES)):
    django_site.show(site)
    mezzanine_site.use_currency(currency_of(spoken(site.language)))
    Product.objects.all().delete()
    Category.objects.all().delete()
    about = body(site.texts, 1, 1, lists=0, code=0) if draw.random() < 0.4 else []
    category = Category.objects.create(title=site.texts.title(1, 3), content=as_html(about), status=2, slug=f"goods-{number}")
    products = [product(site, category) for _ in range(draw.choice((5, 8, 14)))]
    for made, prices, gold in draw.sample(products, 4):
        url = made.get_absolute_url()
        orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "product", made.title)
    shown = Product.objects.order_by("-date_added")[: settings.SHOP_PER_PAGE_CATEGORY]
    prices_of = {made.pk: [made.title, *prices] for made, prices, _ in products}
    records = [prices_of[made.pk] for made in shown]
    url = category.get_absolute_url()
    page = orders.dressed(site, django_site.get(client, site, url))
    orders.emit(site, url, page, lines(about) + [line for record in records for line in record], "list", category.title, records=records)
    if orders.enough():
        break
