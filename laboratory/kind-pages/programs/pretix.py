"""Pages of events and lists of events of pretix, a shop for tickets, in its own translations."""

import os
import re
import tempfile

os.environ.update(DJANGO_SETTINGS_MODULE="pretix.testutils.settings", DATA_DIR=tempfile.mkdtemp(), PRETIX_DATABASE_BACKEND="sqlite3", PRETIX_DATABASE_NAME=":memory:")
import logging
import warnings
from datetime import timedelta
from decimal import Decimal

import django
from blocks import as_markdown, body, lines
from common import Orders
from texts import currency

LANGUAGES = "en de zh-hans fr es it ja cs pl nl pt-br ru sv da nb-no".split()
warnings.simplefilter("ignore")
orders = Orders()
django.setup()
logging.disable(logging.CRITICAL)
from django.core.management import call_command

call_command("migrate", verbosity=0, run_syncdb=True, interactive=False)
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import now
from django.utils.translation import gettext
from django_scopes import scopes_disabled
from pretix.base.models import Event, Item, ItemCategory, Organizer, Quota
from pretix.base.templatetags.money import money_filter

draw, client = orders.draw, Client()
FIRST = now().replace(year=now().year + 1, month=3, day=1, hour=0, minute=0, second=0, microsecond=0)


def answer(site, url):
    said = client.get(url, HTTP_ACCEPT_LANGUAGE=site.language, HTTP_HOST="example.com")
    assert said.status_code == 200, (url, said.status_code)
    translation.activate(site.language)
    return orders.dressed(site, said.content)


def range_of(made):
    """The days of an event as the page says them, with the word for those who listen."""
    return " ".join(re.sub("<[^>]*>", " ", made.get_date_range_display_as_html()).split())


def event(site, organizer, number):
    """An event with its tickets: itself and the lines of its gold."""
    texts = site.texts.turn()
    start = FIRST + timedelta(days=number * 3 + draw.randint(0, 2), hours=draw.randint(8, 20), minutes=draw.choice((0, 15, 30)))
    end = start + timedelta(hours=draw.choice((1, 2, 3, 26, 50))) if draw.random() < 0.6 else None
    place = [texts.place(), texts.street(), texts.town()][: draw.choice((0, 1, 2, 3, 3))]
    admission = start - timedelta(minutes=30) if draw.random() < 0.3 else None
    made = Event.objects.create(
        organizer=organizer, name=texts.title(2, 8), slug=f"e{number}", date_from=start, date_to=end, date_admission=admission, plugins="", live=True,
        is_public=True, currency=currency(site.language[:2]), location="\n".join(place),
    )  # fmt: skip
    blocks = body(texts, 1, 5, heads=0.15, lists=0.2, code=0)
    options = {"locales": [site.language], "locale": site.language, "timezone": "UTC", "frontpage_text": as_markdown(blocks), "show_times": draw.random() < 0.8, "show_date_to": draw.random() < 0.8}
    for name, value in options.items():
        made.settings.set(name, value)
    when = range_of(made)
    gold = [str(made.name), when] + lines(blocks) + place + [when]
    if options["show_times"]:
        gold.append(gettext("Begin: %(time)s") % {"time": date_format(start, "TIME_FORMAT")})
        if options["show_date_to"] and end:
            gold.append(gettext("End: %(time)s") % {"time": date_format(end, "TIME_FORMAT")})
    if admission:
        gold.append(gettext("Admission: %(time)s") % {"time": date_format(admission, "TIME_FORMAT")})
    return made, gold + tickets(made, texts)


def tickets(made, texts):
    gold = []
    category = ItemCategory.objects.create(event=made, name=texts.title(1, 3)) if draw.random() < 0.4 else None
    gold += [str(category.name)] if category else []
    for at in range(draw.choice((1, 1, 2, 3))):
        about = texts.sentence() if draw.random() < 0.5 else ""
        item = Item.objects.create(event=made, category=category, name=texts.title(1, 4), default_price=Decimal(texts.cents()) / 100, description=about, position=at)
        quota = Quota.objects.create(event=made, name="q", size=draw.choice((0, 10, 200)))
        quota.items.add(item)
        gold += [str(item.name)] + ([about] if about else []) + [money_filter(item.default_price, made.currency)]
    return gold


def card(made):
    said = [str(made.name), range_of(made)]
    if made.settings.get("show_times", as_type=bool):
        said.append(date_format(made.date_from, "TIME_FORMAT"))
        if made.settings.get("show_date_to", as_type=bool) and made.date_to and made.date_to.date() == made.date_from.date():
            said.append(date_format(made.date_to, "TIME_FORMAT"))
    return said


with scopes_disabled():
    for number, site in enumerate(orders.sites(LANGUAGES)):
        translation.activate(site.language)
        organizer = Organizer.objects.create(name=site.name, slug=f"o{number}")
        about = body(site.texts, 1, 2, lists=0, code=0) if draw.random() < 0.4 else []
        for name, value in {"locales": [site.language], "locale": site.language, "organizer_homepage_text": as_markdown(about), "event_list_availability": draw.random() < 0.5}.items():
            organizer.settings.set(name, value)
        events = [event(site, organizer, at) for at in range(draw.choice((4, 7, 11)))]
        records = [card(made) for made, _ in events]
        page = answer(site, f"/o{number}/")
        orders.emit(site, "/", page, lines(about) + [line for record in records for line in record], "events", site.name, records=records)
        for made, gold in events:
            orders.emit(site, f"/{made.slug}/", answer(site, f"/o{number}/{made.slug}/"), gold, "service", str(made.name), thing="event")
            if orders.enough():
                break
