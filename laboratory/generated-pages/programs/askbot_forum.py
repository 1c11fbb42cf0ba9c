"""Pages of Askbot, questions and answers: questions with answers and comments, and lists of questions.

Run inside of a project that askbot-setup made (see build.sh)."""
import os
import sys

project, lang = sys.argv[1:3]
sys.path.insert(0, project)
os.chdir(project)
os.environ["DJANGO_SETTINGS_MODULE"] = "ab.settings"
import django

django.setup()
from django.conf import settings as django_settings
from django.utils import translation
django_settings.LANGUAGE_CODE = lang
django_settings.ALLOWED_HOSTS = ["*"]
translation.activate(lang)
from askbot.conf import settings as askbot_settings
from django.core.management import call_command
from django.test import Client
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

call_command("flush", verbosity=0, interactive=False)
from askbot.models import User
for name, value in (("MIN_REP_TO_TRIGGER_EMAIL", 1), ("MAX_COMMENT_LENGTH", 3000), ("LIMIT_ONE_ANSWER_PER_USER", False)):
    try:
        askbot_settings.update(name, value)
    except Exception as error:
        print(name, error)
texts = Texts(lang[:2], "forum", "askbot")
chance = texts.random
users = []
for n in range(25):
    user = User.objects.create_user(f"{texts.user()}{n}", f"a{n}@x.example", "x")
    user.receive_reputation(chance.randrange(200, 3000))
    user.save()
    users.append(user)
users[0].set_status("d") if hasattr(users[0], "set_status") else None
tags = [f"{texts.fake.word()}" for _ in range(20)]
questions = []
for n in range(32):
    asker = chance.choice(users)
    question = asker.post_question(title=mark("T", texts.title(80)), body_text="\n\n".join(mark("B", line) for line in texts.paragraphs(1, 4, 700)), tags=" ".join(chance.sample(tags, 3)))
    question = question if hasattr(question, "_question_post") is False else question._question_post()
    posts = [question]
    for m in range(chance.randrange(5)):
        posts.append(chance.choice([u for u in users if u != asker]).post_answer(question=question, body_text="\n\n".join(mark("B", line) for line in texts.paragraphs(1, 4, 700))))
    for post in posts:
        for m in range(chance.choice([0, 0, 1, 2, 4])):
            chance.choice(users).post_comment(parent_post=post, body_text=mark("R", " ".join(texts.post())))
    questions.append(question)
capture, client = Capture("forum", "askbot", lang, lang[:2]), Client()
for question in questions:
    url = question.get_absolute_url()
    capture.add(url, client.get(url, follow=True), "main", "TBR", drop=["nav", "footer", "[class*=related]"])
for url in ("/questions/", "/questions/?page=2", "/questions/scope:all/sort:votes-desc/page:1/", "/questions/scope:unanswered/sort:age-desc/page:1/"):
    response = client.get(url, follow=True)
    if response.status_code == 200:
        capture.add(url, response, "main", "TS", page_type="listing")
