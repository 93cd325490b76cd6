"""Removes secrets from command lines, variables and other strings before they are recorded.

Goes by names (`--api-key`, `DB_PASSWORD=`), by the form of addresses (`https://user:password@host`), and by forms that
tokens of well-known services have. In doubt something harmless is left out rather than something secret recorded.
"""

import re
from collections.abc import Iterable

HIDDEN = "***"
"""Replacement of a secret."""

# If a name contains one of these words, its value is removed.
_STRONG_WORDS = """
    password passwords passwd passphrase pwd pass pw secret secrets credential credentials cred creds authorization
    bearer cookie cookies signature sig apikey apikeys accesskey secretkey privatekey authtoken accesstoken pat jwt
    otp pin
"""
_STRONG = frozenset(_STRONG_WORDS.split())
# These also occur in harmless names, such as the size of a key or a number of tokens: short numbers are kept.
_WEAK = frozenset(["key", "keys", "token", "tokens", "auth", "sas", "login"])
_SHORT_NUMBER = re.compile(r"[+-]?\d{1,6}(\.\d{1,6})?(e[+-]?\d{1,2})?|true|false|none|yes|no", re.IGNORECASE)
# `dbPassword` is `db password`, `APIKey` is `API Key`.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WITHIN = re.compile(
    r"passw(or)?d|passphrase|secret|credential|api_?key|access_?key|private_?key|_?token$", re.IGNORECASE
)
_HARMLESS = frozenset({"tokenizer", "secretary", "secretariat"})

_OPTION = re.compile(r"--[A-Za-z]|-[A-Za-z]$")
# NAME=, NAME: and "NAME": in a text, and what may follow: quoted, or of two words behind `Bearer`.
_NAME = re.compile(r"""(?<![\w.$-])(?P<name>[\w.$-]+)(?:\\?["'])?\]?\s*(?::=|=>|[=:])\s*""")
_VALUE = re.compile(
    r"""\\?"[^"]*"?|\\?'[^']*'?|(?:(?:bearer|basic|token|digest|negotiate)\s+)?[^\s,;&"'})\]]+""", re.IGNORECASE
)
# NAME VALUE in a string: only names that are clearly secrets.
_BESIDE = re.compile(r"(?<![\w.$-])(?P<name>[\w.$-]+)(?P<between>[\s\"']+)(?P<value>[^\s\"',;&]{8,})")
_SCHEME = re.compile(r"\b(bearer|basic|digest|negotiate)(\s+)([^\s\"',;]{6,})", re.IGNORECASE)
# A password may hold a slash and an @, so everything up to the last @ goes, the user's name with it: it may be a token.
_ADDRESS = re.compile(r"(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)([^\s\"'<>]*)", re.IGNORECASE)
_KNOWN = re.compile(
    r"""\b(?:
        gh[pousr]_\w{20,} | github_pat_\w{20,} | glpat-[\w-]{16,} | hf_\w{16,} | sk-[\w-]{16,}
        | sk_(?:live|test)_\w{16,}
        | xox[abeoprs]-[\w-]{10,} | (?:AKIA|ASIA|AROA)[A-Z0-9]{12,} | AIza[\w-]{30,} | ya29\.[\w-]{20,} | npm_\w{30,}
        | pypi-[\w-]{16,} | dop_v1_\w{32,} | eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)? | SG\.[\w-]{16,}\.[\w-]{16,}
    )""",
    re.VERBOSE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)


def is_secret(name: str, value: str = "") -> bool:
    """Whether the value of `name` must be removed.

    Args:
        name: name of an option, a variable or an entry, in any spelling.
        value: its value, if known; a short number is neither a key nor a token.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if any(word in _STRONG for word in words):
        return True
    if any(word in _WEAK for word in words):
        return not _SHORT_NUMBER.fullmatch(value.strip())
    return any(_WITHIN.search(word) for word in words if word not in _HARMLESS)


def clean_value(name: str, value: str) -> str:
    """Return a variable's value without secrets."""
    return HIDDEN if value and is_secret(name, value) else clean_text(value)


def clean_text(text: str) -> str:
    """Return a text without the secrets in it."""
    text = _PRIVATE_KEY.sub(HIDDEN, text)
    text = _ADDRESS.sub(_clean_address, text)
    text = _clean_pairs(text)
    text = _BESIDE.sub(_clean_beside, text)
    text = _SCHEME.sub(lambda match: f"{match[1]}{match[2]}{HIDDEN}", text)
    return _KNOWN.sub(HIDDEN, text)


def clean_command_line(arguments: Iterable[str]) -> list[str]:
    """Return a command line without the secrets in it.

    The value of an option with a secret name is what follows it, unless that begins with two hyphens and a letter.
    """
    cleaned: list[str] = []
    awaited = ""  # the option whose value comes next
    for argument in arguments:
        is_option = bool(_OPTION.match(argument))
        if awaited and not is_option and is_secret(awaited, argument):
            cleaned.append(HIDDEN)
            # There may be several: `--credentials USER PASSWORD`.
            awaited = awaited if awaited.rstrip("-_").endswith("s") else ""
            continue
        names = "=" not in argument and (argument.startswith("-") or argument.lower() in _STRONG)
        awaited = argument.lstrip("-") if names else ""
        cleaned.append(clean_text(argument))
    return cleaned


def _clean_address(match: re.Match[str]) -> str:
    _, at, rest = match[2].rpartition("@")
    return f"{match[1]}{HIDDEN}@{rest}" if at else match[0]


def _clean_pairs(text: str) -> str:
    """Hide values by their names; the value of a harmless name may hold further pairs: `url=https://h?token=x`."""
    kept: list[str] = []
    place = 0
    while match := _NAME.search(text, place):
        kept.append(text[place : match.end()])
        place = match.end()
        value = _VALUE.match(text, place) if is_secret(match["name"]) else None
        if value and is_secret(match["name"], value[0].strip("\"'\\")):
            kept.append(HIDDEN)
            place = value.end()
    return "".join(kept) + text[place:]


def _clean_beside(match: re.Match[str]) -> str:
    value: str = match["value"]
    random = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if value == HIDDEN or not (random or len(value) >= 20) or not is_secret(match["name"], value):
        return match[0]
    return f"{match['name']}{match['between']}{HIDDEN}"
