"""Documents are Markdown pages of one kind each (questions, an event, a vacancy, a manual), for generators of static sites."""
from .marks import mark

LABELS = {
    "en": {"when": "When", "where": "Where", "price": "Admission", "faq": "Frequently asked questions", "tasks": "Your tasks", "offer": "What we offer", "profile": "Your profile",
           "jobs": "Open positions", "events": "Upcoming events", "employer": "Employer", "salary": "Salary", "program": "Programme"},
    "de": {"when": "Wann", "where": "Wo", "price": "Eintritt", "faq": "Häufige Fragen", "tasks": "Ihre Aufgaben", "offer": "Wir bieten", "profile": "Ihr Profil",
           "jobs": "Offene Stellen", "events": "Veranstaltungen", "employer": "Arbeitgeber", "salary": "Gehalt", "program": "Programm"},
    "zh": {"when": "时间", "where": "地点", "price": "门票", "faq": "常见问题", "tasks": "工作内容", "offer": "我们提供", "profile": "任职要求",
           "jobs": "招聘职位", "events": "近期活动", "employer": "公司", "salary": "薪资", "program": "日程"},
    "fr": {"when": "Quand", "where": "Où", "price": "Tarif", "faq": "Foire aux questions", "tasks": "Vos missions", "offer": "Nous offrons", "profile": "Votre profil",
           "jobs": "Postes à pourvoir", "events": "Agenda", "employer": "Employeur", "salary": "Salaire", "program": "Programme"},
}


def labels(texts):
    return LABELS.get(texts.lang, LABELS["en"])


def _date(texts):
    day = texts.fake.date_time_between("-1y", "+1y")
    return texts.random.choice([day.strftime("%d.%m.%Y, %H:00"), day.strftime("%A, %d %B %Y, %H:%M"), day.strftime("%Y-%m-%d %H:00")])


def questions(texts, form):
    """Questions with answers, in one of the forms that people write them in."""
    out, count = [], texts.random.randint(4, 12)
    for _ in range(count):
        question, answer = texts.question(), texts.paragraphs(1, 3, 500)
        paragraphs = [mark("A", line) for line in answer]
        if form == "headings":
            out += ["## " + mark("Q", question), *paragraphs]
        elif form == "small headings":
            out += ["#### " + mark("Q", question), *paragraphs]
        elif form == "bold":
            out += ["**" + mark("Q", question) + "**", *paragraphs]
        elif form == "letters":
            out += [mark("Q", "**Q:** " + question), mark("A", "**A:** " + answer[0]), *paragraphs[1:]]
        elif form == "details":
            out += [f"<details><summary>{mark('Q', question)}</summary>", *(f"<p>{p}</p>" for p in paragraphs), "</details>"]
        elif form == "list":
            out += ["- **" + mark("Q", question) + "**\n\n" + "\n\n".join("    " + p for p in paragraphs)]
        elif form == "definitions":
            out += [mark("Q", question) + "\n:   " + "\n\n    ".join(paragraphs)]
        elif form == "table":
            out += [f"| {mark('Q', question.replace('|', ' '))} | {mark('A', ' '.join(answer).replace('|', ' '))} |"]
    if form == "table":
        out = ["| ? | ! |\n|---|---|\n" + "\n".join(out)]
    title = labels(texts)["faq"] if texts.random.random() < 0.4 else texts.title(50)
    lead = [mark("A", texts.sentence(200))] if texts.random.random() < 0.5 else []
    return title, "\n\n".join(lead + out), "TQA"


FORMS = ["headings", "small headings", "bold", "letters", "details", "list", "definitions", "table"]


def event(texts):
    """One event with its day, place and description."""
    words = labels(texts)
    facts = [mark("D", f"**{words['when']}:** {_date(texts)}"), mark("P", f"**{words['where']}:** {texts.place()}")]
    if texts.random.random() < 0.5:
        facts.append(mark("F", f"**{words['price']}:** {texts.random.randrange(5, 60)} EUR"))
    form = texts.random.choice(["list", "lines", "table"])
    if form == "list":
        facts = ["\n".join("- " + fact for fact in facts)]
    elif form == "table":
        facts = ["| | |\n|---|---|\n" + "\n".join("| " + fact.replace(":** ", ":**" + END_CELL, 1) + " |" for fact in facts)]
    body = [mark("B", line) for line in texts.paragraphs(2, 5)]
    program = ["## " + mark("B", words["program"]), "\n".join(f"- {mark('B', f'{9 + n}:00 {texts.phrase(50)}')}" for n in range(texts.random.randint(3, 7)))]
    parts = facts + body + (program if texts.random.random() < 0.5 else [])
    return texts.title(70), "\n\n".join(parts), "TBDPF"


# Between a fact's name and its value in a table row: the value has the marks of a text of its own.
END_CELL = "\uEEBF | \uEE88"


def job(texts):
    """One vacancy."""
    words = labels(texts)
    bullets = lambda: "\n".join("- " + mark("B", texts.sentence(90)) for _ in range(texts.random.randint(3, 6)))
    facts = [mark("P", f"**{words['where']}:** {texts.city()}"), mark("P", f"**{words['employer']}:** {texts.fake.company()}"), mark("F", f"**{words['salary']}:** {texts.random.randrange(30, 120)}.000 EUR")]
    parts = facts[:texts.random.randint(1, 3)] + [mark("B", line) for line in texts.paragraphs(1, 3)]
    for name in ("tasks", "profile", "offer"):
        parts += ["## " + mark("B", words[name]), bullets()]
    return texts.fake.job() + " (m/w/d)" * (texts.lang == "de"), "\n\n".join(parts + [mark("B", line) for line in texts.paragraphs(1, 1)]), "TBPF"


def manual(texts):
    """A page of a wiki or a manual."""
    parts = [mark("B", line) for line in texts.paragraphs(1, 3)]
    for _ in range(texts.random.randint(2, 5)):
        parts.append("## " + mark("B", texts.phrase(45)))
        parts += [mark("B", line) for line in texts.paragraphs(1, 4)]
        if texts.random.random() < 0.4:
            parts.append("\n".join("- " + mark("B", texts.sentence(80)) for _ in range(texts.random.randint(3, 6))))
        if texts.random.random() < 0.2:
            cell = lambda: mark("B", texts.phrase(20).replace("|", " "))
            parts.append(f"| {cell()} | {cell()} | {cell()} |\n|---|---|---|\n" + "\n".join(f"| {cell()} | {cell()} | {cell()} |" for _ in range(4)))
    return texts.title(60), "\n\n".join(parts), "TB"


def listing(texts, kind):
    """A list of events or of vacancies, written by hand on one page."""
    words, rows = labels(texts), []
    form = texts.random.choice(["headings", "items", "table"])
    for _ in range(texts.random.randint(6, 14)):
        title = texts.title(70).replace("|", " ") if kind == "events" else texts.fake.job()
        where = texts.city() if kind == "jobs" else _date(texts)
        teaser = texts.sentence(160).replace("|", " ")
        if form == "headings":
            rows += [f"### [{mark('L', title)}](#x)", mark("D", where), mark("S", teaser)]
        elif form == "items":
            rows += [f"- [{mark('L', title)}](#x) {mark('D', where)} {mark('S', teaser)}"]
        else:
            rows += [f"| {mark('D', where)} | [{mark('L', title)}](#x) | {mark('S', teaser)} |"]
    text = "\n\n".join(rows) if form == "headings" else "\n".join(rows)
    if form == "table":
        text = "| | | |\n|---|---|---|\n" + text
    return words[kind], text, "TLDS"


def site(texts):
    """The documents of a small site: (kind, name, title, Markdown, kinds of marks, page type)."""
    number, pages = 0, []
    def put(kind, made, page_type):
        nonlocal number
        number += 1
        title, body, marks = made
        pages.append((kind, f"{kind}-{number}", mark("T", title.replace(":", " ").replace('"', "")), body, marks, page_type))
    for form in texts.random.sample(FORMS, 4):
        put("faq", questions(texts, form), "faq")
    for _ in range(2):
        put("event", event(texts), "event")
        put("job", job(texts), "job")
        put("wiki", manual(texts), "documentation")
    put("event", listing(texts, "events"), "listing")
    put("job", listing(texts, "jobs"), "listing")
    return pages
