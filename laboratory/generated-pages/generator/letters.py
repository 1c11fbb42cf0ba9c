"""Letters are threads of a mailing list, for programs that make archives of them."""
import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from .marks import mark


def threads(texts, count):
    """Threads of letters, as (EmailMessage, number of the thread)."""
    chance, people = texts.random, [(texts.name(), texts.user()) for _ in range(20)]
    when = datetime.datetime(2025, 3, 1, 9, 0, tzinfo=datetime.timezone.utc)
    made = 0
    for thread in range(count):
        subject, ids, quoted = texts.title(70), [], None
        for n in range(1 + min(12, int(chance.expovariate(1 / 3)))):
            made += 1
            when += datetime.timedelta(minutes=chance.randrange(20, 2000))
            name, user = chance.choice(people)
            lines = [mark("B", line) for line in texts.post()]
            if n == 0 or chance.random() < 0.5:
                lines = [mark("B", "Hi all,")] * (chance.random() < 0.5) + lines
            text = "\n\n".join(lines) + "\n"
            if quoted and chance.random() < 0.7:
                text = mark("B", f"On {when:%a, %d %b %Y}, {quoted[0]} wrote:") + "\n" + "\n".join("> " + mark("B", line) for line in quoted[1][:3]) + "\n\n" + text
            if chance.random() < 0.6:
                text += f"\n-- \n{mark('B', name)}\n{mark('B', texts.fake.company())}\n"
            letter = EmailMessage()
            letter["From"], letter["To"] = f"{name} <{user}@x.example>", "list@x.example"
            letter["Subject"] = ("Re: " if n else "") + mark("T", subject)
            letter["Date"], letter["Message-ID"] = format_datetime(when), f"<m{made}@x.example>"
            if ids:
                letter["In-Reply-To"], letter["References"] = chance.choice(ids), " ".join(ids[-3:])
            letter.set_content(text)
            ids.append(letter["Message-ID"])
            quoted = (name, [line[1:-1] for line in lines if "Hi all" not in line])
            yield letter, thread
