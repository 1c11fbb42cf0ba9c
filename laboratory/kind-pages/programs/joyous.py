"""Pages of events and lists of events of Joyous, a calendar for Wagtail, in its own translations."""

import datetime
import html
import re

import django_site
from blocks import as_html, body, lines
from common import Orders

LANGUAGES = "en de fr it ja pt-br sv".split()
orders = Orders()
WAGTAIL = "contrib.forms contrib.redirects contrib.modeladmin embeds sites users snippets documents images search admin core".split()


def urls():
    from django.urls import include, path
    from wagtail.core import urls as wagtail_urls

    return [path("", include(wagtail_urls))]


client = django_site.start(
    ["ls.joyous", *("wagtail." + app for app in WAGTAIL), "modelcluster", "taggit", "django.contrib.admin"], urls, ["joyous"],
    WAGTAIL_SITE_NAME="made", JOYOUS_TIME_FORMAT=None, WAGTAILSEARCH_BACKENDS={"default": {"BACKEND": "wagtail.search.backends.db"}}, WAGTAIL_ENABLE_UPDATE_CHECK=False,
)  # fmt: skip
from django.test import RequestFactory
from django.utils import translation
from django.utils.html import strip_tags
from django.utils.text import Truncator
from ls.joyous.models import CalendarPage, MultidayEventPage, RecurringEventPage, SimpleEventPage
from ls.joyous.utils.recurrence import WEEKLY, Recurrence
from wagtail.core.models import Page

draw, request = orders.draw, RequestFactory().get("/")
home = Page.objects.get(slug="home")


def event(site, calendar, number):
    texts = site.texts.turn()
    blocks = [(("p" if kind == "code" else kind), [("", text)] if kind == "code" else text) for kind, text in body(texts, 1, 4, heads=0.1, lists=0.2, code=0)]
    day = datetime.date.today() + datetime.timedelta(days=10 + number * 4)
    place = draw.choice(("", texts.place(), f"{texts.place()}, {texts.street()}, {texts.town()}"))
    start = datetime.time(draw.randint(8, 19), draw.choice((0, 15, 30)))
    told = dict(title=texts.title(2, 8), slug=f"event-{number}", details=as_html(blocks), location=place, website=draw.choice(("", "", "https://events.example/more")))
    told["time_from"] = draw.choice((None, start, start))
    told["time_to"] = draw.choice((None, start.replace(hour=start.hour + draw.randint(1, 4)))) if told["time_from"] else None
    kind = draw.random()
    if kind < 0.6:
        made = SimpleEventPage(date=day, **told)
    elif kind < 0.8:
        made = MultidayEventPage(date_from=day, date_to=day + datetime.timedelta(days=2), **dict(told, time_to=None))
    else:
        made = RecurringEventPage(repeat=Recurrence(dtstart=day, freq=WEEKLY, byweekday=[day.weekday()], count=8), **told)
    calendar.add_child(instance=made)
    return made, blocks


def when_of(made):
    """What its template says of the day; and of the next one, where it comes again."""
    said = [str(made.when)]
    following = made._nextOn(request) if hasattr(made, "_nextOn") else None
    return said + ([translation.gettext("Next on %(event_next_on)s") % {"event_next_on": following}] if following else [])


def where_of(made):
    return ([made.location] if made.location else []) + ([made.website] if made.website else [])


def cut(blocks):
    """The lines of a text that its lists show: they cut it behind 150 words."""
    text = strip_tags(re.sub("(</(?:p|li|h2|blockquote)>)", r"\1\n", Truncator(as_html(blocks)).words(150, html=True)))
    return [line.strip() for line in html.unescape(text).split("\n") if line.strip()]


for number, site in enumerate(orders.sites(LANGUAGES)):
    django_site.show(site)
    about = body(site.texts, 1, 1, lists=0, code=0) if draw.random() < 0.4 else []
    calendar = CalendarPage(title=site.texts.title(1, 3), slug=f"calendar-{number}", intro=as_html(about), default_view="L")
    home.add_child(instance=calendar)
    events = [event(site, calendar, at) for at in range(draw.choice((4, 6, 9)))]
    for made, blocks in events:
        url = made.url
        page = django_site.get(client, site, url)
        orders.emit(site, url, page, [made.title, *when_of(made), *where_of(made), *lines(blocks)], "service", made.title, thing="event")
        if orders.enough():
            break
    else:
        url = f"{calendar.url}upcoming/"
        page = django_site.get(client, site, url)
        records = [[made.title, *when_of(made), *where_of(made), *cut(blocks)] for made, blocks in events]
        orders.emit(site, url, page, lines(about) + [line for record in records for line in record], "events", calendar.title, records=records)
