"""Pages of WordPress with its themes: posts with comments, lists of posts, pages of questions, events and vacancies in its blocks."""
import json
import os
import shutil
import subprocess
import sys
import time

import requests

from generator.capture import WORK, Capture
from generator.documents import labels
from generator.marks import mark
from generator.texts import Texts

PORT, SOURCE = 8452, "/usr/share/wordpress"
THEMES = ["twentytwentyone", "twentytwentytwo", "twentytwentythree"]
paragraph = lambda text: f"<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->"
heading = lambda text, level=2: f'<!-- wp:heading {{"level":{level}}} -->\n<h{level}>{text}</h{level}>\n<!-- /wp:heading -->'
items = lambda texts: "<!-- wp:list -->\n<ul>" + "".join(f"<!-- wp:list-item --><li>{t}</li><!-- /wp:list-item -->" for t in texts) + "</ul>\n<!-- /wp:list -->"
button = lambda text: f'<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button --><div class="wp-block-button"><a class="wp-block-button__link wp-element-button" href="#">{text}</a></div><!-- /wp:button --></div><!-- /wp:buttons -->'
columns = lambda cells: '<!-- wp:columns --><div class="wp-block-columns">' + "".join(f'<!-- wp:column --><div class="wp-block-column">{c}</div><!-- /wp:column -->' for c in cells) + "</div><!-- /wp:columns -->"
table = lambda rows: '<!-- wp:table --><figure class="wp-block-table"><table><tbody>' + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</tbody></table></figure><!-- /wp:table -->"


def questions(texts):
    form, parts = texts.random.choice(["headings", "columns", "bold", "media"]), []
    pairs = [(mark("Q", texts.question()), [mark("A", line) for line in texts.paragraphs(1, 2, 500)]) for _ in range(texts.random.randint(4, 10))]
    if form == "columns":
        for n in range(0, len(pairs), 2):
            parts.append(columns([heading(q, 3) + "".join(map(paragraph, a)) for q, a in pairs[n:n + 2]]))
    else:
        for question, answer in pairs:
            parts.append(heading(question, 3) if form != "bold" else paragraph(f"<strong>{question}</strong><br>{answer.pop(0)}"))
            parts += map(paragraph, answer)
    return "\n".join(parts) + button(texts.random.choice(["Contact us", "Ask a question", "Learn more"])), "TQA"


def event(texts):
    words, day = labels(texts), texts.fake.date_time_between("-1y", "+1y")
    facts = [(words["when"], mark("D", day.strftime("%A, %d %B %Y, %H:%M"))), (words["where"], mark("P", texts.place()))]
    body = "".join(paragraph(mark("B", line)) for line in texts.paragraphs(2, 4))
    head = table([(mark("D", name), value) for name, value in facts]) if texts.random.random() < 0.5 else columns([heading(mark("D", name), 4) + paragraph(value) for name, value in facts])
    plan = table([(mark("D", f"{9 + n}:30"), mark("B", texts.phrase(50)), mark("B", texts.name())) for n in range(texts.random.randint(3, 8))])
    return head + body + (heading(mark("B", words["program"])) + plan if texts.random.random() < 0.6 else "") + button("Tickets"), "TBDP"


def job(texts):
    words, parts = labels(texts), []
    parts.append(columns([paragraph(f"<strong>{mark('P', words['where'])}</strong><br>{mark('P', texts.city())}"), paragraph(f"<strong>{mark('F', words['salary'])}</strong><br>{mark('F', str(texts.random.randrange(30, 99)) + '.000 EUR')}"),
                          paragraph(f"<strong>{mark('P', words['employer'])}</strong><br>{mark('P', texts.fake.company())}")]))
    parts += [paragraph(mark("B", line)) for line in texts.paragraphs(1, 3)]
    for name in ("tasks", "profile", "offer"):
        parts += [heading(mark("B", words[name])), items([mark("B", texts.sentence(90)) for _ in range(texts.random.randint(3, 6))])]
    return "\n".join(parts) + button("Apply now"), "TBPF"


def fill(lang):
    texts, talk = Texts(lang, "article", "wordpress"), Texts(lang, "forum", "wordpress")
    chance, posts = texts.random, []
    common = lambda title, content, kind: {"title": mark("T", title), "content": content, "type": kind, "category": chance.choice(topics), "tags": chance.sample(tags, 3), "date": texts.fake.date_time_this_year().strftime("%Y-%m-%d %H:%M:%S"), "comments": []}
    topics, tags = [texts.phrase(15) for _ in range(5)], [texts.phrase(10) for _ in range(12)]
    for n in range(20):
        lines = texts.paragraphs(3, 7)
        post = common(texts.title(80), "\n".join(paragraph(mark("B", line)) + (button("Subscribe") if chance.random() < 0.05 else "") for line in lines), "post")
        post["comments"] = [{"author": talk.name(), "text": mark("R", " ".join(talk.post())), "reply": chance.random() < 0.4} for _ in range(chance.choice([0, 0, 2, 5, 9]))]
        if n % 2:
            post["excerpt"] = mark("S", texts.sentence(200))
        posts.append(("article", "TBR", post))
    for kind, make, count in (("faq", questions, 6), ("event", event, 7), ("job", job, 7)):
        for _ in range(count):
            content, marks = make(texts)
            posts.append((kind, marks, common(texts.fake.job() if kind == "job" else texts.title(60), content, "page")))
    return posts, {"name": texts.phrase(25), "description": texts.phrase(50), "posts": [post for _, _, post in posts]}


for number, theme in enumerate(THEMES):
    lang = ["en", "de", "fr"][number]
    root = f"{WORK}/wordpress"
    if not os.path.exists(root):
        shutil.copytree(SOURCE, root, symlinks=False, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("wp-config.php"))
    with open(root + "/wp-config.php", "w") as file:
        file.write("<?php define('DB_NAME','wordpress_gen'); define('DB_USER','wordpress_gen'); define('DB_PASSWORD','generated'); define('DB_HOST','localhost'); define('DB_CHARSET','utf8mb4'); define('DB_COLLATE','');"
                   f"define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('WP_DEFAULT_THEME', '{theme}'); define('WP_SITEURL','http://127.0.0.1:{PORT}'); define('WP_HOME','http://127.0.0.1:{PORT}');"
                   "$table_prefix='wp_'; if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/'); require_once ABSPATH . 'wp-settings.php';\n")
    posts, data = fill(lang)
    with open(f"{WORK}/wordpress.json", "w") as file:
        json.dump(data, file)
    done = subprocess.run(["php", os.path.dirname(__file__) + "/wordpress_fill.php", root, f"{WORK}/wordpress.json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit("wordpress: " + (done.stdout + done.stderr)[-600:])
    subprocess.run(["php", "-r", f"$_SERVER['HTTP_HOST']='127.0.0.1'; require '{root}/wp-load.php'; switch_theme('{theme}');"], capture_output=True)
    ids = json.load(open(f"{WORK}/wordpress.json.ids"))
    server = subprocess.Popen(["php", "-d", "display_errors=0", "-S", f"127.0.0.1:{PORT}", "-t", root], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    try:
        captures = {}
        def take(kind, query, main, marks, page_type):
            captures.setdefault(kind, None) or captures.update({kind: Capture(kind, "wordpress", theme, lang)})
            html = requests.get(f"http://127.0.0.1:{PORT}/?{query}", timeout=60).text
            captures[kind].add("?" + query, html, main, marks, drop=["nav", "footer", ".comment-respond", ".widget-area", ".post-navigation", ".navigation", ".wp-block-latest-posts"], page_type=page_type)
        for (kind, marks, post), number in zip(posts, ids):
            take(kind, f"page_id={number}" if post["type"] == "page" else f"p={number}", "body", marks, kind)
        for query in ["paged=1", "paged=2", "paged=3", *(f"cat={n}" for n in range(1, 8)), "author=1", "s=the", "m=2026"]:
            take("list", query, "main", "TBS", "listing")
    finally:
        server.terminate()
