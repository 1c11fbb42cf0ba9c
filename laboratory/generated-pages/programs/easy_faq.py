"""Pages of django-easy-faq and of django-helpdesk's knowledge base: categories of questions, single questions."""
import sys

theme, lang = sys.argv[1:3]
from generator import django_site

apps = ["django.contrib.sites", "django.contrib.admin", "django.contrib.humanize", "faq"] + (["bootstrap4form", "rest_framework", "pinax.invitations", "pinax.teams", "reversion", "helpdesk"] if theme.startswith("helpdesk") else [])
migrate = django_site.configure(lang, __name__, apps, HELPDESK_KB_ENABLED=True, HELPDESK_PUBLIC_ENABLED=True, HELPDESK_TEAMS_MODE_ENABLED=False, LOGIN_URL="/login/", FAQ_SETTINGS=["login_required_off"])
from django.urls import include, path
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

urlpatterns = [path("faq/", include("faq.urls"))]
if theme.startswith("helpdesk"):
    urlpatterns.append(path("", include("helpdesk.urls", namespace="helpdesk")))
migrate()
from django.contrib.auth import get_user_model

texts, talk = Texts(lang[:2], "article", theme), Texts(lang[:2], "forum", theme)
chance, client = texts.random, django_site.client()
user = get_user_model().objects.create_user("ann", "a@x.example", "x")
capture = Capture("faq", theme, lang, lang[:2])
if theme.startswith("helpdesk"):
    from helpdesk.models import KBCategory, KBItem

    for n in range(12):
        category = KBCategory.objects.create(name=texts.phrase(20), title=mark("T", texts.title(60)), slug=f"c{n}", description=mark("A", texts.sentence(180)), public=True)
        for m in range(chance.randint(4, 9)):
            KBItem.objects.create(category=category, title=mark("Q", texts.title(60)), question=mark("Q", texts.question()), answer="\n\n".join(mark("A", line) for line in texts.paragraphs(1, 3)), enabled=True, order=m)
        capture.add(f"/kb/c{n}/", client.get(f"/kb/c{n}/"), "body", "TQA", drop=["nav", "footer", "aside", ".sidebar"])
    capture.add("/kb/", client.get("/kb/"), "body", "TA", drop=["nav", "footer", "aside", ".sidebar"], page_type="listing")
else:
    from faq.models import Answer, Category, FAQComment, Question

    asked = set()
    for n in range(6):
        category = Category.objects.create(name=texts.phrase(25) + str(n), _description=texts.sentence())
        for m in range(4):
            question = texts.question()[:140]
            if question in asked:
                continue
            asked.add(question)
            item = Question.objects.create(category=category, question=mark("Q", question))
            for _ in range(chance.randint(1, 3)):
                Answer.objects.create(question=item, answer="\n\n".join(mark("A", line) for line in texts.paragraphs(1, 3)), slug=str(chance.random())[2:9])
            for _ in range(chance.randrange(3)):
                FAQComment.objects.create(user=user, question=item, comment=mark("R", " ".join(talk.post())))
            capture.add(f"/faq/{category.slug}/{item.slug}/", client.get(f"/faq/{category.slug}/{item.slug}/", follow=True), "body", "QAR")
