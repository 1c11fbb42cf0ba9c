"""Pages of django-easy-faq: single questions with answers and comments."""
import sys

theme, lang = sys.argv[1:3]
from generator import django_site

migrate = django_site.configure(lang, __name__, ["django.contrib.sites", "django.contrib.humanize", "django.contrib.admin", "faq"], LOGIN_URL="/login/", FAQ_SETTINGS=["login_required_off"])
from django.urls import include, path
from generator.capture import Capture
from generator.marks import mark
from generator.texts import Texts

urlpatterns = [path("faq/", include("faq.urls"))]
migrate()
from django.contrib.auth import get_user_model
from faq.models import Answer, Category, FAQComment, Question

texts, talk = Texts(lang[:2], "article", theme), Texts(lang[:2], "forum", theme)
chance, client = texts.random, django_site.client()
user = get_user_model().objects.create_user("ann", "a@x.example", "x")
capture, asked = Capture("faq", theme, lang, lang[:2]), set()
for n in range(6):
    category = Category.objects.create(name=texts.phrase(25) + str(n), _description=texts.sentence())
    for _ in range(4):
        question = texts.question()[:140]
        if question in asked:
            continue
        asked.add(question)
        item = Question.objects.create(category=category, question=mark("Q", question))
        for _ in range(chance.randint(1, 3)):
            Answer.objects.create(question=item, answer="\n\n".join(mark("A", line) for line in texts.paragraphs(1, 3)), slug=str(chance.random())[2:9])
        for _ in range(chance.randrange(3)):
            FAQComment.objects.create(user=user, question=item, comment=mark("R", " ".join(talk.post())))
        address = f"/faq/{category.slug}/{item.slug}/"
        capture.add(address, client.get(address, follow=True), "body", "QAR")
