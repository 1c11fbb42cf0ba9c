"""Events, news with comments, pages and lists of Plone: its theme Barceloneta, in its own translations."""

import datetime
import logging
import warnings

warnings.simplefilter("ignore")
import pytz
import transaction
from blocks import as_html, body, lines
from common import Orders
from lxml import html as parser
from plone.app.testing import PLONE_FIXTURE, TEST_USER_ID, FunctionalTesting, PloneSandboxLayer, applyProfile, setRoles

LANGUAGES = "en de zh-cn fr es it ja cs pl nl pt-br ru sv da no".split()
orders = Orders()
draw = orders.draw
logging.disable(logging.CRITICAL)


class Portal(PloneSandboxLayer):
    defaultBases = (PLONE_FIXTURE,)

    def setUpZope(self, app, context):
        import plone.app.contenttypes
        import plone.app.discussion
        import plone.app.locales
        import plone.app.theming
        import plonetheme.barceloneta

        for package in (plone.app.contenttypes, plone.app.discussion, plone.app.theming, plonetheme.barceloneta, plone.app.locales):
            self.loadZCML(package=package)

    def setUpPloneSite(self, portal):
        portal.portal_workflow.setDefaultChain("simple_publication_workflow")
        for profile in ("plone.app.contenttypes", "plone.app.discussion", "plone.app.theming", "plonetheme.barceloneta"):
            applyProfile(portal, profile + ":default")


def set_up(layer, step, done):
    for base in layer.__bases__:
        set_up(base, step, done)
    if layer not in done:
        done.append(layer)
        getattr(layer, step, lambda: None)()


layer = FunctionalTesting(bases=(Portal(),), name="made")
for step in ("setUp", "testSetUp"):
    set_up(layer, step, [])
from plone import api
from plone.app.discussion.interfaces import IConversation
from plone.app.textfield.value import RichTextValue
from plone.testing.zope import Browser
from zope.component import createObject

portal = layer["portal"]
setRoles(portal, TEST_USER_ID, ["Manager"])
api.portal.set_registry_record("plone.app.discussion.interfaces.IDiscussionSettings.globally_enabled", True)
for kind in ("News Item", "Document"):
    portal.portal_types[kind].allow_discussion = True


def said(element):
    return " ".join(" ".join(element.itertext()).split())


def add(folder, kind, name, site, **fields):
    texts = site.texts.turn()
    blocks = body(texts, 2, 6, heads=0.2, lists=0.25, code=0.05)
    text = RichTextValue(as_html(blocks), "text/html", "text/html")
    made = api.content.create(folder, kind, name, title=texts.title(2, 9), description=texts.sentence() if draw.random() < 0.7 else "", text=text, **fields)
    api.content.transition(made, "publish")
    comments = []
    for _ in range(draw.choice((0, 0, 2, 4)) if kind == "News Item" else 0):
        comment = createObject("plone.Comment")
        comment.text, comment.author_name = texts.sentence(), texts.person()
        IConversation(made).addComment(comment)
        comments.append(comment.text)
    return made, blocks, comments


def gold_of(made, blocks, tree):
    """The lines of a page; days as its template says them."""
    gold = [made.title] + ([made.description] if made.description else [])
    for box in tree.xpath('//div[contains(@class, "event-when") or contains(@class, "event-location")]'):
        gold += [said(box.xpath(".//strong")[0]), said(box.xpath(".//p")[0])]
    return gold + lines(blocks)


for number, site in enumerate(orders.sites(LANGUAGES)):
    api.portal.set_registry_record("plone.available_languages", [site.language])
    api.portal.set_registry_record("plone.default_language", site.language)
    api.portal.set_registry_record("plone.site_title", site.name)
    if number:
        portal.manage_delObjects([f"folder{number - 1}"])
    folder = api.content.create(portal, "Folder", f"folder{number}", title=site.texts.title(1, 3), description=site.texts.sentence() if draw.random() < 0.4 else "", language=site.language)
    api.content.transition(folder, "publish")
    things = []
    for at in range(draw.choice((5, 7, 9))):
        kind, fields = draw.choice(("Event", "Event", "News Item", "Document")), {}
        if kind == "Event":
            start = datetime.datetime(2027, 1, 1, draw.randint(8, 19), draw.choice((0, 15, 30)), tzinfo=pytz.utc) + datetime.timedelta(days=at * 5 + draw.randint(0, 4))
            end = start + datetime.timedelta(hours=draw.choice((1, 2, 3, 30)))
            fields = {"start": start, "end": end, "location": draw.choice(("", site.texts.place(), f"{site.texts.place()}, {site.texts.town()}"))}
        things.append((kind, *add(folder, kind, f"thing{at}", site, **fields)))
    transaction.commit()
    browser = Browser(layer["app"])
    browser.addHeader("Accept-Language", site.language)
    browser.open(folder.absolute_url())
    records = []
    for card in parser.fromstring(browser.contents).xpath('//div[@class="entries"]/article'):
        parts = card.xpath('./div/div[@class="mb-1"] | ./div/p')
        records.append([part for part in (said(part).strip(" —") for part in parts) if part])
    about = [folder.description] if folder.description else []
    address = lambda thing: thing.absolute_url().replace("http://nohost/plone", "")
    orders.emit(site, address(folder), orders.dressed(site, browser.contents), about + [line for record in records for line in record], "events", folder.title, records=records)
    for kind, made, blocks, comments in things:
        browser.open(made.absolute_url())
        gold = gold_of(made, blocks, parser.fromstring(browser.contents))
        page_type = {"Event": "service", "News Item": "article", "Document": "documentation"}[kind]
        orders.emit(site, address(made), orders.dressed(site, browser.contents), gold, page_type, made.title, comments=comments, thing=kind.lower())
        if orders.enough():
            break
