"""Pages of pretix, ticket shops of events: an event with its products, series of events, lists of an organizer."""
import os
import sys

theme, lang = sys.argv[1:3]
os.environ["DJANGO_SETTINGS_MODULE"] = "pretix.testutils.settings"
from django.conf import settings

settings.DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
settings.LANGUAGE_CODE = lang
settings.ALLOWED_HOSTS = ["*"]
settings.DEBUG = False
settings.DEBUG_PROPAGATE_EXCEPTIONS = True
import django

django.setup()
from datetime import timedelta

from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now
from django_scopes import scopes_disabled

call_command("migrate", verbosity=0, run_syncdb=True)
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts
from i18nfield.strings import LazyI18nString
from pretix.base.models import Event, Item, ItemCategory, Organizer, Quota, SubEvent

texts = Texts(lang[:2], "article", "pretix " + theme)
chance = texts.random
word = lambda text: LazyI18nString({lang: text})
capture, client, paths = Capture("event", "pretix", theme, lang[:2]), Client(), []
with scopes_disabled():
    for n in range(5):
        organizer = Organizer.objects.create(name=texts.fake.company(), slug=f"o{n}")
        for m in range(7):
            series = m > 4
            event = Event.objects.create(organizer=organizer, name=word(mark("T", texts.title(60))), slug=f"e{m}", plugins="pretix.plugins.banktransfer", live=True, is_public=True, has_subevents=series, currency="EUR",
                                         date_from=now() + timedelta(days=chance.randrange(5, 300)), location=word(mark("P", texts.place())), presale_end=now() + timedelta(days=400))
            event.settings.locales, event.settings.locale, event.settings.timezone = [lang], lang, "Europe/Berlin"
            event.settings.frontpage_text = word("\n\n".join(mark("B", line) for line in texts.paragraphs(1, 4, 700)))
            event.settings.imprint_url, event.settings.contact_mail = "http://x.example/imprint", "a@x.example"
            event.settings.show_dates_on_frontpage = True
            subevents = []
            for k in range(chance.randint(6, 15) if series else 0):
                subevents.append(SubEvent.objects.create(event=event, name=word(mark("L", texts.title(60))), active=True, is_public=True, date_from=now() + timedelta(days=3 * k + 5), location=word(texts.city())))
            quota = [Quota.objects.create(event=event, name="q", size=100, subevent=s) for s in (subevents or [None])]
            for c in range(chance.randint(1, 3)):
                category = ItemCategory.objects.create(event=event, name=word(mark("B", texts.phrase(25))), description=word(mark("B", texts.sentence(120))) if c else word(""), position=c)
                for k in range(chance.randint(1, 5)):
                    item = Item.objects.create(event=event, category=category, name=word(mark("B", texts.phrase(40))), description=word(mark("B", texts.sentence(200))) if chance.random() < 0.6 else None, default_price=chance.randrange(5, 200), active=True)
                    for q in quota:
                        q.items.add(item)
            paths.append((f"/o{n}/e{m}/", "TBPL", "listing" if series else "event"))
            if subevents:
                paths.append((f"/o{n}/e{m}/{subevents[0].pk}/", "LTBP", "event"))
        paths.append((f"/o{n}/", "TL", "listing"))
for path, marks, page_type in paths:
    response = client.get(path, follow=True)
    if response.status_code != 200:
        print(path, response.status_code)
        continue
    capture.add(path, response, "body", marks, drop=["nav", "footer", "details", ".cart", "[role=navigation]", "#cart"], add=["main article time"] if page_type == "listing" else [".info-row time", ".info-row .fa-clock-o + p"], page_type=page_type)
