"""Posts of a blog with comments, and lists of posts, of Mezzanine in its own translations."""

import django_site
import mezzanine_site
from blocks import as_html, body, lines
from common import Orders, spoken
from texts import currency as currency_of

LANGUAGES = "en de zh-cn fr es it ja cs pl nl pt-br ru sv da nb".split()
orders = Orders()
client = mezzanine_site.start()
from django.contrib.auth import get_user_model
from django.utils.html import strip_tags
from mezzanine.blog.models import BlogCategory, BlogPost
from mezzanine.generic.models import ThreadedComment

draw = orders.draw
user = get_user_model().objects.create(username="editor", first_name="Ilse", last_name="Brandt")


def post(site, categories):
    texts = site.texts.turn()
    blocks = body(texts, 3, 9, heads=0.2, lists=0.2, code=0.06)
    made = BlogPost.objects.create(title=texts.title(3, 10), content=as_html(blocks), user=user, publish_date=texts.moment(), status=2, allow_comments=draw.random() < 0.8)
    made.categories.add(draw.choice(categories))
    comments, moments = [], texts.moments()
    for _ in range(draw.choice((0, 0, 1, 3, 6)) if made.allow_comments else 0):
        said = texts.sentence() if draw.random() < 0.6 else texts.paragraph()
        made.comments.add(ThreadedComment(user_name=texts.name(), user_email="a@mail.example", comment=said, submit_date=next(moments), site_id=1, is_public=True), bulk=False)
        comments.append(said)
    return made, [made.title, *lines(blocks)], comments


for site in orders.sites(LANGUAGES):
    django_site.show(site)
    mezzanine_site.use_currency(currency_of(spoken(site.language)))
    BlogPost.objects.all().delete()
    BlogCategory.objects.all().delete()
    categories = [BlogCategory.objects.create(title=site.texts.title(1, 2)) for _ in range(4)]
    posts = [post(site, categories) for _ in range(7)]
    for made, gold, comments in posts:
        url = made.get_absolute_url()
        orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "article", made.title, comments=comments)
        if orders.enough():
            break
    else:
        listed = BlogPost.objects.order_by("-publish_date")[:5]
        records = [[one.title, " ".join(strip_tags(one.description_from_content()).split())] for one in listed]
        page = orders.dressed(site, django_site.get(client, site, "/blog/"))
        orders.emit(site, "/blog/", page, [line for record in records for line in record], "list", site.name, records=records)
