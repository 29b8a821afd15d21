"""One HTML page that needs nothing from elsewhere: its parts, and how pictures become part of it."""
import html
import io
import re
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from cycler import cycler

from . import pictures
from .style import with_plain_labels

HERE = Path(__file__).resolve().parent
WIDTH = 6.4  # inches, of a picture of which two stand side by side
PIXELS = 160  # an inch, of fields
INK = "#010203"  # in pictures, what shall have the colour of the page's text
# Middle tones, which can be seen on a light page and on a dark one.
LINES = ["#2f7fc1", "#d9702b", "#2c9a57", "#c64d8b", "#8a6fd1", "#a8842c", "#3a9aa5", "#c0504d", "#7a8794"]
STYLE = {
    "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"], "svg.hashsalt": "weft", "font.size": 9, "legend.fontsize": 8, "axes.prop_cycle": cycler(color=LINES), "figure.facecolor": "none",
    "axes.facecolor": "none", "savefig.facecolor": "none", "legend.framealpha": 0, "legend.facecolor": "none",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK, "grid.color": INK,
}


def escaped(text):
    return html.escape(str(text))


def options(**changes):
    """Returns the options of `weft plot` for pictures of the page."""
    return pictures.choices(**{"size": (WIDTH, None), "dpi": PIXELS, "whole": False} | changes)


def style():
    """To be active while figures for the page are made."""
    return matplotlib.rc_context(STYLE)


class Page:
    def __init__(self, title):
        self.title = title
        self.sections = []  # (id, heading, parts)
        self.head = []

    def section(self, name, heading):
        self.sections.append((name, heading, []))

    def add(self, part):
        (self.sections[-1][2] if self.sections else self.head).append(part)

    def text(self, words, kind=""):
        self.add(f'<p class="{kind}">{escaped(words)}</p>' if kind else f"<p>{escaped(words)}</p>")

    def facts(self, rows, kind="facts"):
        """Pairs of a name and a value; those without a value are left out."""
        pairs = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in rows if value not in (None, ""))
        if pairs:
            self.add(f'<dl class="{kind}">{pairs}</dl>')

    def table(self, caption, head, rows):
        columns = "".join(f'<th scope="col">{escaped(name)}</th>' for name in head)
        body = "".join("<tr>" + f'<th scope="row">{escaped(row[0])}</th>' + "".join(f"<td>{escaped(value)}</td>" for value in row[1:]) + "</tr>"
                       for row in rows)
        self.add(f'<div class="wide"><table><caption>{escaped(caption)}</caption><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>')

    def heading(self, words):
        self.add(f"<h3>{escaped(words)}</h3>")

    def pictures(self, pictures):
        """[(figure, caption, what one sees, for those who do not)]; closes the figures."""
        drawn = "".join(f'<figure>{picture(figure, seen)}<figcaption>{escaped(caption)}</figcaption></figure>' for figure, caption, seen in pictures)
        if drawn:
            self.add(f'<div class="pictures">{drawn}</div>')

    def folded(self, summary, fill):
        """What `fill()` adds, behind a line to open."""
        self.add(f"<details><summary>{escaped(summary)}</summary>")
        fill()
        self.add("</details>")

    def listing(self, text, label):
        self.add(f'<pre tabindex="0" role="region" aria-label="{escaped(label)}">{escaped(text)}</pre>')

    def shares(self, caption, parts):
        """A bar of parts (name, amount, text) of a whole."""
        whole = sum(amount for _, amount, _ in parts) or 1
        bar = "".join(f'<span class="part{k}" style="width:{100 * amount / whole:.2f}%"></span>' for k, (_, amount, _) in enumerate(parts))
        key = "".join(f'<li><span class="key part{k}" aria-hidden="true"></span>{escaped(name)}: {escaped(text)}</li>'
                      for k, (name, _, text) in enumerate(parts))
        self.add(f'<figure class="shares"><figcaption>{escaped(caption)}</figcaption><div class="bar" aria-hidden="true">{bar}</div><ul>{key}</ul></figure>')

    def html(self):
        links = "".join(f'<li><a href="#{name}">{escaped(heading)}</a></li>' for name, heading, _ in self.sections)
        body = "".join(f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{escaped(heading)}</h2>{"".join(parts)}</section>'
                       for name, heading, parts in self.sections)
        # The policy forbids the page to ask anyone for anything.
        return f'''<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{escaped(self.title)}</title>
<style>
{(HERE / "page.css").read_text()}</style>
</head>
<body>
<header>{"".join(self.head)}</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main>{body}</main>
<dialog aria-label="Enlarged picture"></dialog>
<script>
{(HERE / "page.js").read_text()}</script>
</body>
</html>
'''


number_of_picture = 0


def picture(figure, seen):
    """A figure as SVG within the page, in the page's colours; cells as pixels, lines and words as such."""
    global number_of_picture
    number_of_picture += 1
    file = io.StringIO()
    with_plain_labels(figure).savefig(file, format="svg", dpi=PIXELS, bbox_inches="tight", pad_inches=0.05, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    plt.close(figure)
    text = file.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", text, count=1, flags=re.S)  # it would rule the other pictures, too
    text = text.replace(INK, "currentColor")
    # Names are of this picture alone.
    prefix = f"p{number_of_picture}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = text.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).group(0)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {size} role="img" aria-label="{escaped(seen)}">'
    return opening + text[text.index(">") + 1:]
