"""Marks are private characters around each inserted text, by which the gold is read back from the page.

A start mark names the kind of the text; one end mark closes any kind. The
programs and themes carry them through like letters, so the page itself shows
where each text went, also where a theme shortens or repeats it.
"""
import re

FIRST = 0xEE80
END = chr(0xEEBF)
KINDS = {
    "T": "title of the page's subject",
    "B": "paragraph of a body",
    "S": "teaser",
    "Q": "question",
    "A": "paragraph of an answer",
    "L": "title of an entry of a list",
    "F": "name or value of a specification",
    "R": "review or comment of a reader",
    "D": "date of an event",
    "P": "place of an event, a shop or an employer",
}
START = {kind: chr(FIRST + number) for number, kind in enumerate(KINDS)}
KIND = {character: kind for kind, character in START.items()}
_ALL = "".join(START.values()) + END
# A mark may arrive as itself, as an entity, percent-encoded in a link, or escaped in a script.
_FORMS = re.compile(
    "[%s]|&#x0*ee[89ab][0-9a-f];|&#6(?:10(?:5[6-9]|[6-9]\\d)|11[01]\\d);|%%ee%%ba%%[89ab][0-9a-f]|\\\\uee[89ab][0-9a-f]" % _ALL,
    re.IGNORECASE,
)


def mark(kind, text):
    """The text between the marks of its kind."""
    return START[kind] + text + END


def unmark(text):
    """The text as it would be without any marks, in whichever form they stand."""
    return _FORMS.sub("", text)
