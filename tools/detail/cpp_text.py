"""Parts of C++ and CUDA sources that checks leave out."""
import functools
import re

# Comments, raw strings, strings and character literals, in one pass so that none hides another.
NOISE = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'",
    re.S,
)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)


@functools.lru_cache(maxsize=None)
def without_noise(text, keep_strings):
    """Returns `text` with blank comments, and empty strings unless `keep_strings`; line numbers are unchanged."""

    def blank(match):
        if match.group("comment") is None:
            return match.group(0) if keep_strings else '""' + "\n" * match.group(0).count("\n")
        return " " + "\n" * match.group(0).count("\n")

    return NOISE.sub(blank, text)


def without_preprocessor(code):
    """Returns `code` with empty preprocessor lines; line numbers are unchanged."""
    return PREPROCESSOR.sub(lambda match: "\n" * match.group(0).count("\n"), code)


def first_branches(code):
    """Returns `code` with empty preprocessor lines and only the first branch of each condition; line numbers are unchanged."""
    if "#el" not in code:
        return without_preprocessor(code)
    kept = []  # for each open condition: true in its first branch

    def line(text):
        directive = re.match(r"[ \t]*#[ \t]*(if|el|endif)", text)
        if directive is None:
            return text if all(kept) else ""
        if directive.group(1) == "if":
            kept.append(True)
        elif directive.group(1) == "el":
            kept[-1] = False
        else:
            kept.pop()
        return ""

    return without_preprocessor("\n".join(map(line, code.split("\n"))))
