"""Pages of NodeBB's themes, a forum: topics and categories (nodebb_themes.js renders them)."""
import json
import os
import shutil
import subprocess
import sys

from generator.capture import WORK, Capture
from generator.marks import mark
from generator.texts import Texts

THEMES = ["nodebb-theme-harmony", "nodebb-theme-persona", "nodebb-theme-lavender", "nodebb-theme-peace", "nodebb-theme-vanilla", "nodebb-theme-niuniu"]
LANGUAGES = [("en", "en-GB"), ("en", "en-GB"), ("de", "de"), ("en", "en-GB"), ("fr", "fr"), ("zh", "zh-CN")]


def user(texts, number):
    name = texts.user()
    return {"uid": number, "username": name, "displayname": name, "userslug": name, "picture": "", "icon:text": name[0].upper(), "icon:bgColor": "#3f51b5", "status": texts.random.choice(["online", "offline", "away"]),
            "postcount": texts.random.randrange(2000), "reputation": texts.random.randrange(500), "signature": texts.phrase(60) if texts.random.random() < 0.3 else "", "selectedGroups": [], "custom_profile_info": [],
            "joindateISO": texts.fake.iso8601(), "location": texts.city()}


def frame(texts, theme):
    """What every page of a site has: its head, menus and widgets."""
    menu = [{"route": f"/{name}", "text": name.title(), "title": name.title(), "iconClass": "fa-list", "class": "", "textClass": "", "id": "", "properties": {}, "enabled": True} for name in ("categories", "recent", "tags", "popular", "users", "groups")]
    widget = lambda: {"html": f'<div class="card"><h5 class="card-header">{texts.phrase(20)}</h5><div class="card-body"><ul>' + "".join(f'<li><a href="#">{texts.title(50)}</a></li>' for _ in range(5)) + "</ul></div></div>"}
    advertisement = {"html": f'<div class="well"><a href="#"><strong>{texts.phrase(30)}</strong></a><p>{texts.sentence(90)}</p></div>'}
    title = texts.phrase(20)
    return {"browserTitle": title, "config": {"relative_path": "", "siteTitle": title, "theme": {"enableBreadcrumbs": True, "stickyToolbar": True, "topMobilebar": True, "openSidebars": True}, "loggedIn": False, "cache-buster": "v=1", "usePagination": True,
            "defaultLang": "en-GB", "userLang": "en-GB"}, "relative_path": "", "navigation": menu, "metaTags": [], "linkTags": [], "loggedIn": False, "loggedInUser": {"uid": 0}, "user": {"uid": 0}, "title": title, "brand:logo": "", "bodyClass": "page-topic template-topic",
            "configJSON": "{}", "userJSON": "{}", "allowRegistration": True, "searchEnabled": True, "widgets": {"sidebar": [widget(), advertisement], "header": [], "footer": [widget()] if theme != THEMES[0] else [], "brand-header": [], "mainpost-header": [], "mainpost-footer": []},
            "privileges": {"topics:reply": True, "topics:read": True}, "reputation:disabled": False, "downvote:disabled": True, "feeds:disableRSS": False, "rssFeedUrl": "/topic/1.rss", "showSelect": False, "showTopicTools": False}


def site(texts, theme):
    users, common = [user(texts, n) for n in range(25)], frame(texts, theme)
    categories = [{"cid": n, "name": texts.phrase(22), "slug": f"{n}/c", "icon": "fa-comments", "bgColor": "#ddd", "color": "#333", "description": texts.sentence(80), "descriptionParsed": texts.sentence(80), "totalTopicCount": 40 + n, "totalPostCount": 300 + n} for n in range(1, 7)]
    pages, topics = [], []
    for number in range(1, 29):
        posts, chosen, category = [], texts.random, texts.random.choice(categories)
        title = texts.title(80)
        for index in range(1 + min(14, int(chosen.expovariate(1 / 5)))):
            author, stamp = chosen.choice(users), texts.fake.date_time_this_decade().isoformat() + ".000Z"
            posts.append({"pid": number * 100 + index, "index": index, "tid": number, "user": author, "uid": author["uid"], "timestampISO": stamp, "editedISO": stamp, "timestamp": 1, "content": "".join(f"<p dir=\"auto\">{mark('B', line)}</p>\n" for line in texts.post()),
                          "votes": chosen.randrange(9), "replies": {"count": 0, "users": [], "text": "[[topic:one_reply_to_this_post]]", "hasMore": False}, "display_post_menu": True, "display_edit_tools": False, "display_moderator_tools": False, "editor": {}, "events": []})
        data = {**common, "tid": number, "cid": category["cid"], "title": mark("T", title), "titleRaw": title, "slug": f"{number}/t", "url": f"/topic/{number}", "category": category, "posts": posts, "postcount": len(posts), "viewcount": chosen.randrange(4000),
                "postercount": 3, "tags": [{"value": t, "valueEscaped": t, "valueEncoded": t, "class": t} for t in (texts.fake.word(), texts.fake.word())], "author": posts[0]["user"], "timestampISO": posts[0]["timestampISO"], "icons": [], "thumbs": [], "events": [],
                "breadcrumbs": [{"text": "[[global:home]]", "url": "/"}, {"text": category["name"], "url": f"/category/{category['cid']}"}, {"text": title, "url": ""}], "pagination": {"pages": [], "rel": []}, "related": [{"title": texts.title(60), "slug": "9/r"} for _ in range(3)]}
        pages.append({"name": f"topic-{number}.html", "template": "topic.tpl", "data": data})
        last = posts[-1]
        topics.append({**{k: data[k] for k in ("tid", "cid", "slug", "category", "postcount", "viewcount", "tags", "timestampISO", "icons", "thumbs")}, "title": mark("T", title), "user": posts[0]["user"], "votes": 1, "lastposttimeISO": last["timestampISO"], "index": number,
                       "teaser": {"pid": last["pid"], "index": last["index"] + 1, "user": last["user"], "timestampISO": last["timestampISO"], "content": last["content"]}, "unreplied": len(posts) == 1})
    for number in range(5):
        category = texts.random.choice(categories)
        pages.append({"name": f"category-{number}.html", "template": "category.tpl", "data": {**common, **category, "bodyClass": "page-category", "topics": texts.random.sample(topics, 15), "children": [], "breadcrumbs": [{"text": "[[global:home]]", "url": "/"}, {"text": category["name"]}],
                      "pagination": {"pages": [], "rel": []}, "topic_row_size": "col-md-9"}})
    return pages


for theme, (lang, language) in zip(THEMES, LANGUAGES):
    short = theme.split("theme-")[1]
    if sys.argv[1:] and short not in sys.argv[1:]:
        continue
    folder = f"{WORK}/nodebb-{short}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    pages = site(Texts(lang, "forum", "nodebb " + short), theme)
    with open(folder + "/data.json", "w") as file:
        json.dump(pages, file)
    done = subprocess.run(["node", os.path.dirname(__file__) + "/nodebb_themes.js", theme, folder + "/data.json", folder], capture_output=True, text=True, env={**os.environ, "NODEBB_LANGUAGE": language})
    if done.returncode:
        print(done.stderr[-500:])
        continue
    capture = Capture("forum", "nodebb", short, lang)
    for page in pages:
        topic = page["template"] == "topic.tpl"
        with open(f"{folder}/{page['name']}") as file:
            capture.add(page["name"], file.read(), "body", "TB" if topic else "TB", drop=["nav", ".breadcrumb", "footer", "[data-widget-area]", "[widget-area]", "[component='navbar/title']", ".navbar", ".pagination-block"], page_type="forum" if topic else "listing")
