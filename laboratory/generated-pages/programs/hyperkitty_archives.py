"""Pages of HyperKitty, the archives of Mailman 3: threads, letters, lists of threads."""
import os
import sys

theme, lang = sys.argv[1:3]
os.environ["DJANGO_SETTINGS_MODULE"] = "hyperkitty.tests.settings_test"
from django.conf import settings

settings.LANGUAGE_CODE = lang
settings.ALLOWED_HOSTS = ["*"]
settings.HYPERKITTY_BATCH_MODE = True
settings.COMPRESS_ENABLED = False
settings.DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
settings.MAILMAN_REST_API_URL = "http://127.0.0.1:1"
import django

django.setup()
import email
from unittest import mock

from django.core.management import call_command
from django.test import Client

call_command("migrate", verbosity=0)
from django_mailman3.models import MailDomain
from django.contrib.sites.models import Site
from generator.capture import Capture
from generator.letters import threads
from generator.texts import Texts
from hyperkitty.lib.incoming import add_to_list
from hyperkitty.models import Email, MailingList, Thread

name = "list@x.example"
with mock.patch("hyperkitty.tasks.update_from_mailman", lambda *a, **k: None):
    for letter, _ in threads(Texts(lang[:2], "forum", "hyperkitty " + theme), 26):
        add_to_list(name, email.message_from_bytes(bytes(letter), policy=email.policy.default), from_import=True)
site = Site.objects.get_current()
MailDomain.objects.get_or_create(site=site, defaults={"mail_domain": "x.example"})
client, capture = Client(), Capture("mail", "hyperkitty", theme, lang[:2])
drop = ["nav", "footer", "header", ".thread-titles", ".thread-info", "#thread-overview-info", ".navbar", ".participants"]
for thread in Thread.objects.all()[:22]:
    path = f"/list/{name}/thread/{thread.thread_id}/"
    capture.add(path, client.get(path, follow=True), "body", "TB", drop=drop, page_type="mail")
for message in Email.objects.all().order_by("?")[:12]:
    path = f"/list/{name}/message/{message.message_id_hash}/"
    capture.add(path, client.get(path, follow=True), "body", "TB", drop=drop, page_type="mail")
for path in (f"/list/{name}/latest", f"/list/{name}/2025/3/", f"/list/{name}/2025/4/", f"/list/{name}/"):
    response = client.get(path, follow=True)
    if response.status_code == 200:
        capture.add(path, response, "body", "TB", drop=["nav", "footer"], page_type="listing")
