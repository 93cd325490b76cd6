"""Transforms that divide a text: by white space, characters, scripts, patterns, and into the pieces of BERT."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

import numpy as np

from framework.dataset.text.choices import NormalizeForm
from framework.dataset.text.patterns import case_folded, normalized, pattern_of
from framework.dataset.text.scripts import script_of
from framework.dataset.text.texts import Token, Tokenizer, row_of_texts, runs
from framework.dataset.text.vocab import Vocab
from framework.dataset.transforms.checks import INT32, check_interval, check_type

__all__ = [
    "BasicTokenizer",
    "BertTokenizer",
    "RegexTokenizer",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]

Random = np.random.Generator
#: Punctuation, signs of ASCII, and Chinese, Japanese and Korean characters: each is a word.
_WORDS: Final = (
    r"[!-/]|[:-@]|[\[-`]|[{-~]|\p{P}|[\x{4E00}-\x{9FFF}]|[\x{3400}-\x{4DBF}]|[\x{20000}-\x{2A6DF}]"
    r"|[\x{2A700}-\x{2B73F}]|[\x{2B740}-\x{2B81F}]|[\x{2B820}-\x{2CEAF}]|[\x{F900}-\x{FAFF}]|[\x{2F800}-\x{2FA1F}]"
)
_MARKS: Final = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]"
_UNUSED: Final = _MARKS + r"|\[unused\d+\]"


def _is_space(character: str) -> bool:
    """Whether Unicode calls a character white space; Python counts four separators of data, too."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


class WhitespaceTokenizer(Tokenizer):
    """Divides a text at white space.

    Args:
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    def __init__(self, with_offsets: bool = False) -> None:
        super().__init__(with_offsets=with_offsets)

    def to_json(self) -> dict[str, Any]:
        """The name and parameters for JSON; as in MindSpore none, unless there are offsets."""
        made = super().to_json()
        return made if self.parameters["with_offsets"] else {**made, "tensor_op_params": None}

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        return [token for token in runs(text, _is_space) if not _is_space(token.text[0])]


class UnicodeCharTokenizer(Tokenizer):
    """Divides a text into its characters.

    Args:
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    def __init__(self, with_offsets: bool = False) -> None:
        super().__init__(with_offsets=with_offsets)

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        found, place = [], 0
        for character in text:
            end = place + len(character.encode())
            found.append(Token(character, place, end))
            place = end
        return found


class UnicodeScriptTokenizer(Tokenizer):
    """Divides a text where the script changes, and at white space.

    Args:
        keep_whitespace: white space is a part, too.
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        check_type(keep_whitespace, (bool,), "keep_whitespace")
        self.keep = keep_whitespace
        super().__init__(keep_whitespace=keep_whitespace, with_offsets=with_offsets)

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        found = runs(text, lambda character: (script_of(character), _is_space(character)))
        return [token for token in found if self.keep or not _is_space(token.text[0])]


class RegexTokenizer(Tokenizer):
    """Divides a text where a regular expression of ICU's syntax matches.

    Args:
        delim_pattern: the expression.
        keep_delim_pattern: an expression for matches that are parts, too; empty for none.
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        for name, value in (("delim_pattern", delim_pattern), ("keep_delim_pattern", keep_delim_pattern)):
            check_type(value, (str,), name)
        self.delimiter = pattern_of(delim_pattern)
        self.kept = pattern_of(keep_delim_pattern) if keep_delim_pattern else None
        super().__init__(delim_pattern=delim_pattern, keep_delim_pattern=keep_delim_pattern, with_offsets=with_offsets)

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        return _divided(text, self.delimiter, self.kept)


def _divided(text: str, delimiter: re.Pattern[str], kept: re.Pattern[str] | None) -> list[Token]:
    """The parts between the matches of a delimiter, and the matches that are kept."""
    found: list[Token] = []
    place = start = 0

    def add(part: str, *, keep: bool) -> None:
        nonlocal place
        end = place + len(part.encode())
        if part and keep:
            found.append(Token(part, place, end))
        place = end

    for match in delimiter.finditer(text):
        add(text[start : match.start()], keep=True)
        add(match[0], keep=kept is not None and kept.fullmatch(match[0]) is not None)
        start = match.end()
    add(text[start:], keep=True)
    return found


class BasicTokenizer(Tokenizer):
    """Divides a text into words: at white space, and around punctuation and each Chinese character.

    Args:
        lower_case: remove differences of case, and accents.
        keep_whitespace: white space is a part, too.
        normalization_form: normal form of Unicode; it counts without `lower_case`.
        preserve_unused_token: leave words like [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1] whole.
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    json_readers = {"normalization_form": NormalizeForm}

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        for name, value in (
            ("lower_case", lower_case),
            ("keep_whitespace", keep_whitespace),
            ("preserve_unused_token", preserve_unused_token),
        ):
            check_type(value, (bool,), name)
        check_type(normalization_form, (NormalizeForm,), "normalization_form")
        self.lower_case, self.form = lower_case, normalization_form
        self.preserves = preserve_unused_token
        marks = f"{_UNUSED}|" if preserve_unused_token else ""
        self.delimiter = pattern_of(rf"{marks}\s+|{_WORDS}")
        self.kept = pattern_of(rf"{marks}\s+|{_WORDS}" if keep_whitespace else f"{marks}{_WORDS}")
        super().__init__(
            lower_case=lower_case,
            keep_whitespace=keep_whitespace,
            normalization_form=int(normalization_form),
            preserve_unused_token=preserve_unused_token,
            with_offsets=with_offsets,
        )

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        if self.lower_case:
            folded = self._folded(text) if self.preserves else case_folded(text)
            text = _accents().sub("", normalized(folded, NormalizeForm.NFD))
        else:
            text = normalized(text, self.form)
        return _divided(_controls().sub(" ", text), self.delimiter, self.kept)

    @staticmethod
    def _folded(text: str) -> str:
        parts = re.split(f"({_MARKS})", text)
        return "".join(part if place % 2 else case_folded(part) for place, part in enumerate(parts))


@cache
def _accents() -> re.Pattern[str]:
    return pattern_of(r"\p{Mn}")


@cache
def _controls() -> re.Pattern[str]:
    return pattern_of(r"\p{Cc}|\p{Cf}")


class WordpieceTokenizer(Tokenizer):
    """Divides words into the longest pieces that a vocabulary has, from the left.

    Args:
        vocab: the vocabulary.
        suffix_indicator: what begins a piece that does not begin a word.
        max_bytes_per_token: longer words are unknown.
        unknown_token: what stands for an unknown word; empty for the word itself.
        with_offsets: return three columns: the pieces, and the UInt32 places in bytes where they begin and end.
    """

    json_readers = {"vocab": Vocab.from_dict}

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",  # noqa: S107 - a word
        with_offsets: bool = False,
    ) -> None:
        check_type(vocab, (Vocab,), "vocab")
        check_type(suffix_indicator, (str,), "suffix_indicator")
        check_type(max_bytes_per_token, (int,), "max_bytes_per_token")
        check_interval(max_bytes_per_token, (0, INT32), "max_bytes_per_token")
        check_type(unknown_token, (str,), "unknown_token")
        self.ids = vocab.vocab()
        if unknown_token and unknown_token not in self.ids:
            raise ValueError(f"WordpieceTokenizer: unknown_token: [{unknown_token}], doesn't exist in vocab.")
        self.suffix, self.most, self.unknown = suffix_indicator, max_bytes_per_token, unknown_token
        super().__init__(
            vocab=self.ids,
            suffix_indicator=suffix_indicator,
            max_bytes_per_token=max_bytes_per_token,
            unknown_token=unknown_token,
            with_offsets=with_offsets,
        )

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Divide a word, or the words of a sequence, whose places may be further columns."""
        words = row_of_texts("WordpieceTokenizer", np.atleast_1d(values[0]))
        starts = np.ravel(values[1]).tolist() if len(values) == 3 else [0] * len(words)
        pieces = [piece for word, start in zip(words, starts, strict=True) for piece in self.pieces(word, start)]
        return self.result(pieces)

    def pieces(self, word: str, start: int) -> list[Token]:
        """The pieces of a word that begins at a place."""
        unknown = [Token(self.unknown or word, start, start + len(word.encode()))]
        if len(word.encode()) > self.most:
            return unknown
        found: list[Token] = []
        first, place = 0, start
        while first < len(word):
            last, piece = self._longest(word, first)
            if last == first:
                return unknown
            end = place + len(word[first:last].encode())
            found.append(Token(piece, place, end))
            first, place = last, end
        return found

    def _longest(self, word: str, first: int) -> tuple[int, str]:
        """The end of the longest known piece, and the piece; the beginning without one."""
        for last in range(len(word), first, -1):
            piece = (self.suffix if first else "") + word[first:last]
            if piece in self.ids:
                return last, piece
        return first, ""


class BertTokenizer(Tokenizer):
    """Divides a text as BERT wants it: `BasicTokenizer`, then `WordpieceTokenizer`.

    Args:
        vocab: the vocabulary.
        suffix_indicator: what begins a piece that does not begin a word.
        max_bytes_per_token: longer words are unknown.
        unknown_token: what stands for an unknown word; empty for the word itself.
        lower_case: remove differences of case, and accents.
        keep_whitespace: white space is a part, too.
        normalization_form: normal form of Unicode; it counts without `lower_case`.
        preserve_unused_token: leave words like [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1] whole.
        with_offsets: return three columns: the pieces, and the UInt32 places in bytes where they begin and end.
    """

    json_readers = {"vocab": Vocab.from_dict, "normalization_form": NormalizeForm}

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",  # noqa: S107 - a word
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        self.words = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token)
        self.inner = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token)
        parameters = {**self.words.parameters, **self.inner.parameters}
        super().__init__(**{**parameters, "with_offsets": with_offsets})

    def tokens(self, text: str) -> list[Token]:
        """The pieces of a text."""
        return [piece for word in self.words.tokens(text) for piece in self.inner.pieces(word.text, word.start)]
