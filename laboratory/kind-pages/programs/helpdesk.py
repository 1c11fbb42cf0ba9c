"""Tickets of django-helpdesk as the person who asked sees them, in its own translations."""

import logging

import django_site
from blocks import as_plain, body, lines
from common import Orders

LANGUAGES = "en de zh-hans fr es it cs pl pt-br ru sv nb".split()
orders = Orders()


def urls():
    from django.urls import include, path

    return [path("", include("helpdesk.urls", namespace="helpdesk"))]


client = django_site.start(
    "django.contrib.admin django.contrib.humanize rest_framework helpdesk".split(), urls, LOGIN_URL="/login/", HELPDESK_TEAMS_MODE_ENABLED=False,
    HELPDESK_VIEW_A_TICKET_PUBLIC=True, HELPDESK_KB_ENABLED=True, HELPDESK_ENABLE_ATTACHMENTS=True,
)  # fmt: skip
logging.disable(logging.CRITICAL)
from django.contrib.auth.models import User
from helpdesk.models import FollowUp, Queue, Ticket

draw = orders.draw
staff = [User.objects.create(username=name, is_staff=True) for name in "ilse tomas nadia jun".split()]


def ticket(site, queue):
    texts = site.texts.turn()
    moments = texts.moments()
    title, blocks = texts.title(3, 10), body(texts, 1, 3, code=0.15)
    resolution = texts.sentence() if draw.random() < 0.4 else None
    made = Ticket.objects.create(
        title=title, queue=queue, description=as_plain(blocks), resolution=resolution, status=draw.choice((1, 3, 4) if resolution else (1, 2)), submitter_email="someone@mail.example",
        priority=draw.randint(1, 5), created=next(moments), assigned_to=draw.choice(staff),
    )  # fmt: skip
    gold = [title, *lines(blocks)] + ([resolution] if resolution else [])
    for _ in range(draw.choice((0, 1, 1, 2, 3, 5))):
        blocks = body(texts, 1, 2, code=0.1)
        FollowUp.objects.create(ticket=made, title=draw.choice(("Comment", "Closed", "Updated", "Reopened")), date=next(moments), comment=as_plain(blocks), public=True, user=draw.choice([None, *staff]))
        gold += lines(blocks)
    url = f"/view/?ticket={made.ticket_for_url}&email=someone@mail.example&key={made.secret_key}"
    orders.emit(site, url, orders.dressed(site, django_site.get(client, site, url)), gold, "forum", title, thing="ticket")


for number, site in enumerate(orders.sites(LANGUAGES)):
    django_site.show(site)
    queue = Queue.objects.create(title=site.texts.title(1, 3), slug=f"q{number}", allow_public_submission=True)
    for _ in range(6):
        ticket(site, queue)
        if orders.enough():
            break
