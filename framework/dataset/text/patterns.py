"""Regular expressions in the syntax of ICU, which MindSpore has, as Python's; and normal forms of Unicode."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import Final

from framework.dataset.text.choices import NormalizeForm

__all__ = ["case_folded", "normalized", "pattern_of", "replacement_of"]

_TOKEN: Final = re.compile(
    r"\\x\{(?P<code>[0-9A-Fa-f]+)\}|\\(?P<sign>[pP])\{\^?(?P<name>[^}]*)\}|\\(?P<short>[pP])(?P<letter>[A-Z])"
    r"|\\Q(?P<quoted>.*?)(?:\\E|$)|\\h|\\z|\\(?P<other>.)|\[:\^?(?P<posix>\w+):\]|(?P<open>\[\^?)|(?P<close>\])"
    r"|(?P<sets>&&|--)",
    re.DOTALL,
)
_GROUPS: Final = ("C", "L", "M", "N", "P", "S", "Z")
_NAMES: Final = {
    "letter": "L",
    "alpha": "L",
    "mark": "M",
    "number": "N",
    "punct": "P",
    "punctuation": "P",
    "symbol": "S",
    "separator": "Z",
    "other": "C",
    "lower": "Ll",
    "upper": "Lu",
    "digit": "Nd",
    "cntrl": "Cc",
    "alnum": "L Nd",
    "space": "Z",
}


@cache
def _categories() -> list[tuple[str, int, int]]:
    """The category of each run of characters that have one, with the first and the last character."""
    found: list[tuple[str, int, int]] = []
    for code, category in enumerate(map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))):
        if found and found[-1][0] == category:
            found[-1] = (category, found[-1][1], code)
        else:
            found.append((category, code, code))
    return found


@cache
def _members(category: str) -> str:
    """The characters of a category, or of a group of categories, as the inside of a class."""
    ranges = [(first, last) for name, first, last in _categories() if name.startswith(category)]
    return "".join(f"{_escaped(first)}-{_escaped(last)}" for first, last in ranges)


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


def _class_of(name: str, pattern: str) -> str:
    wanted = _NAMES.get(name.strip().lower().replace("_", " "), name.strip())
    parts = wanted.split()
    known = all(part[0] in _GROUPS and len(part) <= 2 for part in parts) and bool(parts)
    if not known:
        raise ValueError(f"the property {name!r} in the pattern {pattern!r} is not known; general categories are")
    return "".join(_members(part) for part in parts)


def pattern_of(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of ICU's syntax.

    Beyond Python's, it has `\\p{...}` with general categories, `[:name:]`, `\\x{...}`, `\\Q...\\E` and `\\h`.

    Raises:
        ValueError: it is no pattern, or has a part that is not supported.
    """
    out: list[str] = []
    place, inside = 0, False
    for found in _TOKEN.finditer(pattern):
        out.append(pattern[place : found.start()])
        place = found.end()
        kind = found.lastgroup
        if kind == "open":
            if inside:
                # Python would read a bracket within a class as itself, ICU as a class whose members are added.
                raise ValueError(f"a class within a class of the pattern {pattern!r} is not supported")
            # A bracket at the first place is a member of the class.
            out.append(found[0] + ("\\" if pattern[place : place + 1] == "]" else ""))
            inside = True
        else:
            out.append(_part(found, pattern, inside=inside))
            inside = inside and kind != "close"
    out.append(pattern[place:])
    try:
        return re.compile("".join(out))
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


def _part(found: re.Match[str], pattern: str, *, inside: bool) -> str:
    """Python's form of a part of ICU's syntax, inside of a class or outside."""
    kind, text = found.lastgroup, found[0]
    if kind == "code":
        return _escaped(int(found["code"], 16))
    if kind in ("name", "letter", "posix"):
        members = _class_of(found[kind], pattern)
        negated = text.startswith("\\P") or "{^" in text or "[:^" in text
        if inside and negated:
            raise ValueError(f"{text!r} inside a class of the pattern {pattern!r} is not supported")
        return members if inside else f"[{'^' if negated else ''}{members}]"
    if kind == "quoted":
        return re.escape(found["quoted"])
    if kind == "sets" and inside:
        raise ValueError(f"operations on classes in the pattern {pattern!r} are not supported")
    return {r"\h": r"\t " if inside else r"[\t ]", r"\z": r"\Z"}.get(text, text)


def replacement_of(replace: str) -> str:
    """A replacement of ICU's syntax, where `$1` is a group and a backslash quotes, as Python's."""

    def one(found: re.Match[str]) -> str:
        return f"\\g<{found[2]}>" if found[2] else _literal(found[1] or "")

    return re.sub(r"\\(.)|\$(\d)|\\$", one, replace)


def _literal(character: str) -> str:
    return "\\\\" if character == "\\" else character


def normalized(text: str, form: NormalizeForm) -> str:
    """A text in a normal form of Unicode."""
    if form is NormalizeForm.NONE:
        return text
    return {
        NormalizeForm.NFC: lambda: unicodedata.normalize("NFC", text),
        NormalizeForm.NFKC: lambda: unicodedata.normalize("NFKC", text),
        NormalizeForm.NFD: lambda: unicodedata.normalize("NFD", text),
        NormalizeForm.NFKD: lambda: unicodedata.normalize("NFKD", text),
    }[form]()


#: Characters that ICU's case folding leaves out beside those of the category Cf.
_IGNORED: Final = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10))))
#: Characters of the category Cf that it keeps: signs before numbers, and notes between lines.
_KEPT: Final = frozenset(map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x08E2, 0x110BD, *range(0xFFF9, 0xFFFC))))


def case_folded(text: str) -> str:
    """A text without differences of case, in the form NFKC_Casefold of Unicode."""
    visible = "".join(one for one in text if one in _KEPT or not (one in _IGNORED or unicodedata.category(one) == "Cf"))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", visible).casefold())
    return unicodedata.normalize("NFKC", folded.casefold())
