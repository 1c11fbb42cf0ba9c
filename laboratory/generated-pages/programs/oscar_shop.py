"""Pages of django-oscar, a shop: products, categories, offers."""
import os
import sys

theme, lang = sys.argv[1:3]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "")
import oscar
from oscar import defaults

from generator import django_site

more = {name: value for name, value in vars(defaults).items() if name.startswith("OSCAR_")}
more.update(OSCAR_SHOP_NAME=theme.title() + " Shop", OSCAR_DEFAULT_CURRENCY="EUR", OSCAR_MISSING_IMAGE_URL="image_not_found.jpg", TIME_ZONE="UTC",
            HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
            AUTHENTICATION_BACKENDS=("oscar.apps.customer.auth_backends.EmailBackend", "django.contrib.auth.backends.ModelBackend"))
apps = ["sorl.thumbnail"] * ("sorl.thumbnail" not in oscar.INSTALLED_APPS) + [a for a in oscar.INSTALLED_APPS if not a.startswith(("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles"))]
migrate = django_site.configure(lang, __name__, apps, middleware=["oscar.apps.basket.middleware.BasketMiddleware", "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware"],
                                context=["oscar.apps.search.context_processors.search_form", "oscar.apps.checkout.context_processors.checkout",
                                         "oscar.apps.communication.notifications.context_processors.notifications", "oscar.core.context_processors.metadata"], **more)
from django.apps import apps as registry
from django.urls import include, path
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

urlpatterns = [path("i18n/", include("django.conf.urls.i18n")), path("", include(registry.get_app_config("oscar").urls[0]))]
migrate()
from django.contrib.auth import get_user_model
from oscar.core.loading import get_model
from oscar.test.factories import create_product, create_stockrecord

texts = Texts(lang[:2], "product", theme)
talk = Texts(lang[:2], "forum", theme)
chance = texts.random
Category, Review, Recommendation, ProductCategory = (get_model("catalogue", "Category"), get_model("reviews", "ProductReview"),
                                                      get_model("catalogue", "ProductRecommendation"), get_model("catalogue", "ProductCategory"))
users = [get_user_model().objects.create_user(f"{texts.user()}{n}", f"a{n}@x.example", "x", first_name=texts.fake.first_name()) for n in range(12)]
categories = []
for n in range(5):
    root = Category.add_root(name=texts.phrase(18), slug=f"c{n}", description="<p>" + mark("B", texts.sentence(200)) + "</p>" if chance.random() < 0.5 else "")
    categories += [root, root.add_child(name=texts.phrase(18), slug=f"d{n}")]
products = []
for n in range(30):
    form = chance.choice(["paragraphs", "paragraphs", "list", "headings"])
    lines = texts.paragraphs(1, 5, 700)
    if form == "list":
        body = f"<p>{mark('B', lines[0])}</p><ul>" + "".join(f"<li>{mark('B', line)}</li>" for line in lines[1:]) + "</ul>"
    elif form == "headings":
        body = "".join(f"<h3>{mark('B', texts.phrase(30))}</h3><p>{mark('B', line)}</p>" for line in lines)
    else:
        body = "".join(f"<p>{mark('B', line)}</p>" for line in lines)
    product = create_product(title=mark("T", texts.title(70)), slug=f"p{n}", upc=str(chance.randrange(10**12)), product_class=f"class {chance.randrange(8)}", description=body)
    for m, (name, value) in enumerate(texts.specifications()):
        attribute, _ = product.product_class.attributes.get_or_create(code=f"a{m}{n}", defaults={"name": mark("F", name)})
        setattr(product.attr, attribute.code, mark("F", value))
    product.save()
    create_stockrecord(product, price=chance.randrange(300, 90000) / 100, num_in_stock=chance.randrange(20), partner_name="x")
    ProductCategory.objects.create(product=product, category=chance.choice(categories))
    for m in range(chance.randrange(4)):
        Review.objects.create(product=product, user=users[m], score=chance.randint(1, 5), status=1, title=mark("R", talk.phrase(50)), body=mark("R", " ".join(talk.post())))
    products.append(product)
for product in products:
    for other in chance.sample(products, chance.randrange(6)):
        if other != product:
            Recommendation.objects.create(primary=product, recommendation=other)
capture, client = Capture("shop", "oscar", theme, lang[:2]), django_site.client()
for product in products:
    url = f"/catalogue/{product.slug}_{product.pk}/"
    capture.add(url, client.get(url), "article.product_page", "TBFR", drop=["article.product_pod", ".sub-header + ul"], add=["table.table-striped th", "table.table-striped td", "#product_description h2"], page_type="product")
for category in categories:
    url = category.get_absolute_url()
    capture.add(url, client.get(url), "body", "TB", drop=["nav", "aside", "footer", "header", ".side_categories", ".breadcrumb"], page_type="listing")
capture.add("/catalogue/", client.get("/catalogue/"), "section", "T", page_type="listing")
