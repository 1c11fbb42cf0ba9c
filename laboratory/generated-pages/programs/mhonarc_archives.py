"""Pages of MHonArc, archives of mailing lists: letters, indexes by date and by thread, in several layouts."""
import glob
import os
import shutil
import subprocess

from generator.capture import WORK, Capture
from generator.letters import threads
from generator.texts import Texts

# The layouts are the example resource files that come with MHonArc.
EXAMPLES = "/usr/share/doc/mhonarc/examples"


def build(theme, lang, resource):
    texts, folder = Texts(lang, "forum", "mhonarc " + theme), f"{WORK}/mhonarc-{theme}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/mail")
    for number, (letter, _) in enumerate(threads(texts, 14)):
        with open(f"{folder}/mail/{number}", "wb") as file:
            file.write(bytes(letter))
    command = ["mhonarc", "-quiet", "-outdir", folder, "-mhpattern", "^\\d+$", "-multipg", "-idxsize", "20"]
    if resource:
        command += ["-rcfile", resource]
    done = subprocess.run(command + [folder + "/mail"], capture_output=True, text=True)
    capture = Capture("mail", "mhonarc", theme, lang)
    names = sorted(glob.glob(folder + "/msg*.html"))[:36]
    if not names:
        print("mhonarc", theme, "failed:", done.stderr[-200:])
    for name in names:
        capture.add(os.path.basename(name), open(name).read(), "h1, pre, body > p", "TB", page_type="mail")
    for name in sorted(glob.glob(folder + "/maillist*.html") + glob.glob(folder + "/threads*.html") + glob.glob(folder + "/index*.html"))[:4]:
        capture.add(os.path.basename(name), open(name).read(), "body", "T", page_type="listing")


build("plain", "en", None)
for number, resource in enumerate(sorted(glob.glob(EXAMPLES + "/*.mrc*"))):
    build(os.path.basename(resource).split(".")[0], ["en", "de", "en", "zh"][number % 4], resource)
