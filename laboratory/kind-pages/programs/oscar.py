"""Product pages and category pages of django-oscar: its own templates and others, in its own translations."""

import sys
import types
from decimal import Decimal

import django_site
from blocks import as_html, body, lines
from common import Orders
from texts import currency as currency_of

LANGUAGES = "en de zh-hans fr es it ja cs pl nl pt-br ru sv da nb".split()
orders = Orders()


class Picture:
    url = "/media/cache/product.jpg"


class Pictures:
    """A thumbnailer that draws nothing."""

    def generate_thumbnail(self, *_parts, **_options):
        return Picture

    def delete_thumbnails(self, *_parts):
        pass


sys.modules["made_pictures"] = types.ModuleType("made_pictures")
sys.modules["made_pictures"].Pictures = Pictures
from oscar import defaults

oscar_settings = {name: value for name, value in vars(defaults).items() if name.isupper()}
oscar_settings.update(OSCAR_THUMBNAILER="made_pictures.Pictures", OSCAR_SHOP_NAME="Shop", OSCAR_ALLOW_ANON_REVIEWS=True, OSCAR_MODERATE_REVIEWS=False)
APPS = """oscar.config.Shop oscar.apps.analytics.apps.AnalyticsConfig oscar.apps.checkout.apps.CheckoutConfig oscar.apps.address.apps.AddressConfig
oscar.apps.shipping.apps.ShippingConfig oscar.apps.catalogue.apps.CatalogueConfig oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig
oscar.apps.communication.apps.CommunicationConfig oscar.apps.partner.apps.PartnerConfig oscar.apps.basket.apps.BasketConfig oscar.apps.payment.apps.PaymentConfig
oscar.apps.offer.apps.OfferConfig oscar.apps.order.apps.OrderConfig oscar.apps.customer.apps.CustomerConfig oscar.apps.search.apps.SearchConfig
oscar.apps.voucher.apps.VoucherConfig oscar.apps.wishlists.apps.WishlistsConfig oscar.apps.dashboard.apps.DashboardConfig
oscar.apps.dashboard.reports.apps.ReportsDashboardConfig oscar.apps.dashboard.users.apps.UsersDashboardConfig oscar.apps.dashboard.orders.apps.OrdersDashboardConfig
oscar.apps.dashboard.catalogue.apps.CatalogueDashboardConfig oscar.apps.dashboard.offers.apps.OffersDashboardConfig oscar.apps.dashboard.partners.apps.PartnersDashboardConfig
oscar.apps.dashboard.pages.apps.PagesDashboardConfig oscar.apps.dashboard.ranges.apps.RangesDashboardConfig oscar.apps.dashboard.reviews.apps.ReviewsDashboardConfig
oscar.apps.dashboard.vouchers.apps.VouchersDashboardConfig oscar.apps.dashboard.communications.apps.CommunicationsDashboardConfig
oscar.apps.dashboard.shipping.apps.ShippingDashboardConfig widget_tweaks haystack treebeard django_tables2""".split()


def urls():
    from django.apps import apps
    from django.core.paginator import Paginator
    from django.shortcuts import render
    from django.urls import include, path

    def category(request, slug, pk):
        """The program's own template, without its search engine."""
        found = Category.objects.get(pk=pk)
        page = Paginator(Product.objects.filter(categories=found).order_by("pk"), 200 if len(slug) % 2 else 12).page(1)
        products = [types.SimpleNamespace(object=product) for product in page.object_list]
        return render(request, "oscar/catalogue/category.html", {"category": found, "products": products, "paginator": page.paginator, "page_obj": page})

    return [path("catalogue/category/<str:slug>_<int:pk>/", category), path("i18n/", include("django.conf.urls.i18n")), path("", include(apps.get_app_config("oscar").urls[0]))]


client = django_site.start(
    APPS, urls, ["oscar"], ["oscar.apps.basket.middleware.BasketMiddleware"],
    ["oscar.apps.search.context_processors.search_form", "oscar.apps.checkout.context_processors.checkout", "oscar.apps.communication.notifications.context_processors.notifications", "oscar.core.context_processors.metadata"],
    contrib=["auth", "contenttypes", "sessions", "messages", "sites", "flatpages", "staticfiles"],
    HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}, **oscar_settings,
)  # fmt: skip
from django.utils.text import Truncator
from django.utils.translation import gettext
from oscar.core.loading import get_model
from oscar.templatetags.currency_filters import currency

Product, ProductClass, Category, Attribute = (get_model("catalogue", name) for name in ("Product", "ProductClass", "Category", "ProductAttribute"))
Partner, StockRecord, Review = get_model("partner", "Partner"), get_model("partner", "StockRecord"), get_model("reviews", "ProductReview")
Category.objects.all().delete()
draw = orders.draw


def money(product):
    record = product.stockrecords.first()
    return currency(record.price, record.price_currency)


def value(texts):
    """A fact: a measure, a word or two."""
    kind = draw.random()
    if kind < 0.45:
        return f"{draw.randint(1, 900)} {draw.choice('cm mm kg g ml W V l'.split())}"
    return f"{draw.randint(2, 60)} × {draw.randint(2, 60)} cm" if kind < 0.6 else texts.phrase(1, 4)


def shelf(site):
    """A category with products in it."""
    texts = site.texts.turn()
    number = ProductClass.objects.count()
    category = Category.add_root(name=texts.title(1, 3), description=as_html([("p", [("", texts.sentence())])])[3:-4] if draw.random() < 0.5 else "")
    kind = ProductClass.objects.create(name=texts.title(1, 2), track_stock=True, slug=f"class-{number}")
    names = list(dict.fromkeys(texts.title(1, 2) for _ in range(draw.randint(2, 6))))
    attributes = [Attribute.objects.create(product_class=kind, name=name, code=f"a{number}_{at}", type="text") for at, name in enumerate(names)]
    partner, products = Partner.objects.get_or_create(name="House", code="house")[0], []
    money_of = currency_of(site.language[:2])
    for at in range(draw.choice((4, 7, 12, 15))):
        texts.turn()
        blocks = body(texts, 1, 4, heads=0.15, lists=0.3, code=0)
        upc = f"{draw.randint(10**7, 10**8)}" if draw.random() < 0.7 else None
        product = Product.objects.create(title=texts.goods(), upc=upc, product_class=kind, description=as_html(blocks), structure="standalone")
        product.made = blocks
        facts = draw.sample(attributes, draw.randint(1, len(attributes)))
        for attribute in facts:
            attribute.save_value(product, value(texts))
        product.categories.add(category)
        StockRecord.objects.create(product=product, partner=partner, partner_sku=f"{number}-{at}", price=Decimal(texts.cents()) / 100, price_currency=money_of, num_in_stock=draw.choice((0, 1, 4, 18, 250)))
        products.append(product)
    for product in products:
        for other in draw.sample(products, draw.choice((0, 3, 4))):
            product.recommended_products.through.objects.get_or_create(primary=product, recommendation=other)
        for name in draw.sample(range(10), draw.choice((0, 0, 1, 2, 3))):
            Review.objects.create(product=product, score=draw.randint(1, 5), title=texts.title(2, 6), body="\n".join(texts.paragraphs(1, 2)), name=texts.person(), status=Review.APPROVED)
    return category, products


def rows(product):
    return [line for one in product.attribute_values.all() for line in (one.attribute.name, str(one.value))]


def detail(site, product, own):
    price, blocks = money(product), lines(product.made)
    product = Product.objects.get(pk=product.pk)
    gold = [product.title, price]
    if own:
        gold += [gettext("Product Description")] + blocks + [gettext("Product Information")]
        gold += [gettext("UPC"), product.upc] if product.upc else []
        gold += [gettext("Product Type"), product.product_class.name, gettext("Price (excl. tax)"), price, gettext("Price (incl. tax)"), price]
        gold += [gettext("Tax"), currency(0, product.stockrecords.first().price_currency)] + rows(product)
    else:
        gold += [gettext("Product Description")] + blocks + rows(product) + ([gettext("UPC"), product.upc] if product.upc else [])
    comments = [line for review in product.reviews.approved()[:3] for line in [review.title, *review.body.split("\n")]]
    url = product.get_absolute_url()
    orders.emit(site, url, django_site.get(client, site, url), gold, "product", product.title, comments=comments)


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    own, card = draw.random() < 0.55, draw.random() < 0.5
    django_site.CURRENT["extra"] = {
        "shop_layout": "made/layout.html" if site.skin else "oscar/layout.html", "shop_name": site.name,
        "shop_detail": "oscar/catalogue/detail.html" if own else "made/detail.html",
        "shop_card": "oscar/catalogue/partials/product.html" if card else "made/card.html",
    }  # fmt: skip
    Category.objects.all().delete()
    shelves = [shelf(site) for _ in range(3)]
    for category, products in shelves:
        for product in draw.sample(products, 4):
            detail(site, product, own)
        url = category.get_absolute_url()
        page = django_site.get(client, site, url)
        shown = products if len(category.slug) % 2 else products[:12]
        records = [[Truncator(product.title).words(4) if card else product.title, money(product)] for product in shown]
        gold = ([category.description] if category.description else []) + [line for record in records for line in record]
        orders.emit(site, url, page, gold, "list", category.name, records=records)
        if orders.enough():
            break
