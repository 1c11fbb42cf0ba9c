"""Pages of Cartridge, a shop on Mezzanine: products, categories; and Mezzanine's blog lists and pages.

Run inside of a project that mezzanine-project made (see build.sh)."""
import os
import sys

project, lang = sys.argv[1:3]
sys.path.insert(0, project)
os.chdir(project)
os.environ["DJANGO_SETTINGS_MODULE"] = "shopproj.settings"
from django.conf import settings

settings.LANGUAGE_CODE = lang
settings.ALLOWED_HOSTS = ["*"]
settings.DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
import locale

import django

# The C locale has no currency.
locale._override_localeconv = {"frac_digits": 2, "currency_symbol": "€", "p_cs_precedes": 1, "n_cs_precedes": 1, "mon_decimal_point": ".", "mon_thousands_sep": ","}
django.setup()
from django.core.management import call_command
from django.test import Client

call_command("migrate", verbosity=0)
from cartridge.shop.models import Category, Product, ProductVariation
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from generator.capture import Capture
from generator.documents import FORMS, questions
from generator.marks import mark
from generator.texts import Texts
from mezzanine.blog.models import BlogCategory, BlogPost
from mezzanine.generic.models import Keyword, ThreadedComment
from mezzanine.pages.models import RichTextPage
from mezzanine.utils.sites import override_current_site_id

texts, talk = Texts(lang[:2], "product", "cartridge"), Texts(lang[:2], "forum", "cartridge")
chance = texts.random
user = get_user_model().objects.create_superuser("admin", "a@x.example", "x")
categories = [Category.objects.create(title=mark("T", texts.phrase(25)), content=f"<p>{mark('B', texts.sentence(150))}</p>" if n % 2 else "", in_menus=[1, 2, 3]) for n in range(5)]
products = []
for n in range(28):
    lines = texts.paragraphs(1, 5, 700)
    table = "<table>" + "".join(f"<tr><td>{mark('F', a)}</td><td>{mark('F', b)}</td></tr>" for a, b in texts.specifications()) + "</table>" if n % 2 else ""
    product = Product.objects.create(title=mark("T", texts.title(70)), content="".join(f"<p>{mark('B', line)}</p>" for line in lines) + table, available=True, rating_average=chance.randint(0, 5), rating_count=3, num_in_stock=9)
    ProductVariation.objects.create(product=product, default=True, unit_price=chance.randrange(300, 90000) / 100, sku=str(n), num_in_stock=9)
    product.unit_price = 10
    product.save()
    product.categories.add(chance.choice(categories), chance.choice(categories))
    products.append(product)
for product in products:
    product.related_products.set(chance.sample(products, 4))
    product.upsell_products.set(chance.sample(products, 3))
topics = [BlogCategory.objects.create(title=texts.phrase(18)) for _ in range(5)]
posts = []
for n in range(26):
    post = BlogPost.objects.create(title=mark("L", texts.title(70)), user=user, content="".join(f"<p>{mark('S', line)}</p>" for line in texts.paragraphs(2, 5)), status=2)
    post.categories.add(chance.choice(topics))
    posts.append(post)
pages = []
for n in range(6):
    title, body, marks = questions(texts, "headings")
    page = RichTextPage.objects.create(title=mark("T", title), content="".join(f"<h3>{p[3:]}</h3>" if p.startswith("## ") else f"<p>{p}</p>" for p in body.split("\n\n")), in_menus=[1, 2])
    pages.append(page)
client, shop = Client(), Capture("shop", "cartridge", lang, lang[:2])
for product in products:
    shop.add(product.get_absolute_url(), client.get(product.get_absolute_url()), ["h1", ".middle"], "TBF", drop=[".breadcrumb", "nav", "footer", "h2 ~ .row", ".product-thumb", ".grid"], page_type="product")
for category in categories:
    shop.add(category.get_absolute_url(), client.get(category.get_absolute_url()), ["h1", ".middle"], "TB", drop=[".breadcrumb", "nav", "footer", ".left", ".right"], page_type="listing")
blog = Capture("list", "mezzanine", lang, lang[:2])
for path in ["/blog/", "/blog/?page=2", "/blog/?page=3", *(c.get_absolute_url() for c in topics), "/blog/author/admin/"]:
    response = client.get(path, follow=True)
    if response.status_code == 200:
        blog.add(path, response, ["h1", ".middle"], "LS", drop=[".breadcrumb", "nav", "footer", ".left", ".right"], page_type="listing")
faq = Capture("faq", "mezzanine", lang, lang[:2])
for page in pages:
    faq.add(page.get_absolute_url(), client.get(page.get_absolute_url()), ["h1", ".middle"], "TQA", drop=[".breadcrumb", "nav", "footer", ".left", ".right"])
