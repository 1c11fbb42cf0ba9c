"""Fills a Plone from data.json: zconsole run zope.conf plone_fill.py DATA.json."""
import json
import sys
from datetime import datetime

import pytz
import transaction
from AccessControl.SecurityManagement import newSecurityManager
from plone.app.textfield.value import RichTextValue
from Products.CMFPlone.factory import addPloneSite
from Testing.makerequest import makerequest
from zope.component.hooks import setSite

data = json.load(open(sys.argv[-1]))
app = makerequest(app)  # noqa: F821, given by zconsole
newSecurityManager(None, app.acl_users.getUser("admin").__of__(app.acl_users))
if "site" in app.objectIds():
    app.manage_delObjects(["site"])
site = addPloneSite(app, "site", title=data["name"], default_language=data["lang"], setup_content=False, extension_ids=("plone.app.contenttypes:default", "plonetheme.barceloneta:default"))
setSite(site)


def put(container, portal_type, name, **fields):
    container.invokeFactory(portal_type, name)
    item = container[name]
    for field, value in fields.items():
        if field == "text":
            value = RichTextValue(value, "text/html", "text/html")
        if field in ("start", "end"):
            value = pytz.utc.localize(datetime.fromisoformat(value))
        setattr(item, field, value)
    try:
        site.portal_workflow.doActionFor(item, "publish")
    except Exception:
        pass
    item.reindexObject()
    return item


for folder in data["folders"]:
    container = put(site, "Folder", folder["id"], title=folder["title"])
    for item in folder["items"]:
        put(container, item.pop("type"), item.pop("id"), **item)
    container.setLayout(folder["layout"])
transaction.commit()
