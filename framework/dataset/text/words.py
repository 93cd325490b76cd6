"""Transforms of texts, of sequences of words, and of sequences of numbers that stand for words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.dataset.ir.to_json import operation_json
from framework.dataset.text.choices import NormalizeForm
from framework.dataset.text.patterns import case_folded, normalized, pattern_of, replacement_of
from framework.dataset.text.texts import TextOperation, as_texts, one_text, row_of_texts
from framework.dataset.text.vectors import Vectors
from framework.dataset.text.vocab import Vocab
from framework.dataset.transforms.checks import INT32, check_interval, check_list, check_type
from framework.dataset.transforms.general import element_type
from framework.dataset.transforms.operation import TensorOperation

__all__ = [
    "AddToken",
    "CaseFold",
    "FilterWikipediaXML",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
]

Random = np.random.Generator


class AddToken(TensorOperation):
    """Adds a word to a sequence, or to each sequence of an array of two dimensions.

    Args:
        token: the word.
        begin: add it at the beginning; otherwise at the end.
    """

    def __init__(self, token: str, begin: bool = True) -> None:
        check_type(token, (str,), "token")
        check_type(begin, (bool,), "begin")
        self.token, self.begin = token, begin
        super().__init__(token=token, begin=begin)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Add the word."""
        texts = as_texts("AddToken", values[0])
        if texts.ndim not in (1, 2):
            raise RuntimeError(f"AddToken: input tensor rank should be 1 or 2, but got {texts.ndim}.")
        added = np.full((*texts.shape[:-1], 1), self.token)
        return np.concatenate([added, texts] if self.begin else [texts, added], axis=-1)


class CaseFold(TextOperation):
    """Removes differences of case, in the form NFKC_Casefold of Unicode: more than lower case, for all languages."""

    def __init__(self) -> None:
        super().__init__()

    def changed(self, text: str) -> str:
        """The text afterwards."""
        return case_folded(text)


class NormalizeUTF8(TextOperation):
    """Brings texts into a normal form of Unicode.

    Args:
        normalize_form: the form; NONE changes nothing.
    """

    json_readers = {"normalize_form": NormalizeForm}
    tensor_op_name = "NormalizeUTF8"

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        check_type(normalize_form, (NormalizeForm,), "normalize_form")
        self.form = normalize_form
        super().__init__(normalize_form=int(normalize_form))

    def changed(self, text: str) -> str:
        """The text afterwards."""
        return normalized(text, self.form)


class RegexReplace(TextOperation):
    """Replaces what matches a regular expression of ICU's syntax.

    Args:
        pattern: the expression.
        replace: what takes its place; `$1` is the first group.
        replace_all: replace all matches; otherwise the first.
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        for name, value in (("pattern", pattern), ("replace", replace)):
            check_type(value, (str,), name)
        check_type(replace_all, (bool,), "replace_all")
        self.pattern, self.replace = pattern_of(pattern), replacement_of(replace)
        self.count = 0 if replace_all else 1
        super().__init__(pattern=pattern, replace=replace, replace_all=replace_all)

    def changed(self, text: str) -> str:
        """The text afterwards."""
        return self.pattern.sub(self.replace, text, count=self.count)


_DIGITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
#: In the order in which MindSpore applies them, which is that of their characters.
_WIKIPEDIA: Final = sorted(
    {
        r"<.*>": "",
        r"&amp;": "&",
        r"&lt;": "<",
        r"&gt;": ">",
        r"<ef[^<]*<\/ef>": "",
        r"<[^>]*>": "",
        r"\[http:[^\] ]*": "[",
        r"\|thumb": "",
        r"\|left": "",
        r"\|right": "",
        r"\|\d+px": "",
        r"\[\[image:[^\[\]]*\|": "",
        r"\[\[category:([^|\]]*)[^\]]*\]\]": r"[[\1]]",
        r"\[\[[a-z\-]*:[^\]]*\]\]": "",
        r"\[\[[^\|\]]*\|": "[[",
        r"\{\{[^\}]*\}\}": "",
        r"\{[^\}]*\}": "",
        r"\[": "",
        r"\]": "",
        r"&[^;]*;": " ",
        **{chr(ord("A") + place): chr(ord("a") + place) for place in range(26)},
        **{str(digit): f" {word} " for digit, word in enumerate(_DIGITS)},
        r"[^a-z\n]+": " ",
        r"\n ": "",
        r"\s+": " ",
        r"\n\s*\n": r"\n",
    }.items()
)


class FilterWikipediaXML(TextOperation):
    """Keeps the words of a page of Wikipedia's dumps: small letters, digits as words, single spaces; no markup.

    Pages that only lead to another one become empty.
    """

    tensor_op_name = "FilterWikipediaXML"

    def __init__(self) -> None:
        super().__init__()

    def changed(self, text: str) -> str:
        """The text afterwards."""
        if "#redirect" in text or "#REDIRECT" in text:
            return ""
        for pattern, replace in _WIKIPEDIA:
            text = re.sub(pattern, replace, text).strip()
        return text


class Lookup(TensorOperation):
    """Replaces words by their numbers in a vocabulary.

    Args:
        vocab: the vocabulary.
        unknown_token: the word whose number stands for unknown ones; None refuses these.
        data_type: element type of the result.
    """

    json_readers = {"vocab": Vocab.from_dict}

    def __init__(self, vocab: Vocab, unknown_token: str | None = None, data_type: Any = mstype.int32) -> None:
        check_type(vocab, (Vocab,), "vocab")
        self.ids = vocab.vocab()
        if unknown_token is not None:
            check_type(unknown_token, (str,), "unknown_token")
            if unknown_token not in self.ids:
                raise ValueError(f"Lookup: unknown_token: [{unknown_token}], doesn't exist in vocab.")
        self.unknown = None if unknown_token is None else self.ids[unknown_token]
        self.dtype = element_type(data_type, "data_type")
        if self.dtype.kind not in "iuf":
            raise RuntimeError(f"Lookup: data_type should be of numeric type, but got {self.dtype}.")
        super().__init__(vocab=self.ids, unknown_token=unknown_token, data_type=self.dtype.name)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Look up an array of words of any shape."""
        texts = as_texts("Lookup", values[0])
        numbers = [self._number(str(word)) for word in texts.ravel()]
        return np.array(numbers, np.int64).reshape(texts.shape).astype(self.dtype)

    def _number(self, word: str) -> int:
        number = self.ids.get(word, self.unknown)
        if number is None:
            raise RuntimeError(
                f'Lookup: invalid data, token: "{word}" doesn\'t exist in vocab and no unknown token is specified.'
            )
        return number


class Ngram(TensorOperation):
    """Joins neighboring words of a sequence.

    Args:
        n: number of words that are joined, or several such numbers, one after the other.
        left_pad: (word, count) that is added at the left at most, so that each word begins a sequence.
        right_pad: (word, count) that is added at the right at most.
        separator: text between the words.
    """

    json_readers = {"left_pad": tuple, "right_pad": tuple}

    def __init__(
        self,
        n: int | Sequence[int],
        left_pad: tuple[str, int] = ("", 0),
        right_pad: tuple[str, int] = ("", 0),
        separator: str = " ",
    ) -> None:
        check_type(n, (int, list, tuple), "n")
        self.sizes = [n] if isinstance(n, int) else list(n)
        if not self.sizes:
            raise ValueError("n needs to be a non-empty list of positive integers.")
        for number, size in enumerate(self.sizes):
            check_type(size, (int,), f"gram[{number}]")
            check_interval(size, (1, INT32), f"gram_{number}")
        for name, pad in (("left_pad", left_pad), ("right_pad", right_pad)):
            if not (isinstance(pad, tuple | list) and len(pad) == 2 and isinstance(pad[0], str)):
                raise ValueError(f"{name} needs to be a tuple of (str, int) str is pad token and int is pad_width.")
            check_type(pad[1], (int,), name)
            if pad[1] < 0:
                raise ValueError("padding width need to be positive numbers.")
        check_type(separator, (str,), "separator")
        self.left, self.right, self.separator = (*left_pad,), (*right_pad,), separator
        super().__init__(n=self.sizes, left_pad=list(left_pad), right_pad=list(right_pad), separator=separator)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Join the words of a sequence; a sequence that is too short gives an empty text."""
        words = row_of_texts("Ngram", values[0])
        joined: list[str] = []
        for size in self.sizes:
            before = [self.left[0]] * min(self.left[1], size - 1)
            after = [self.right[0]] * min(self.right[1], size - 1)
            whole = [*before, *words, *after]
            starts = range(len(whole) - size + 1)
            joined += [self.separator.join(whole[start : start + size]) for start in starts] or [""]
        return np.array(joined, np.str_)


class SlidingWindow(TensorOperation):
    """All windows over a sequence: (length) becomes (length - width + 1, width).

    Args:
        width: length of a window.
        axis: 0, the only axis of a sequence.
    """

    def __init__(self, width: int, axis: int = 0) -> None:
        check_type(width, (int,), "width")
        check_interval(width, (1, INT32), "width")
        check_type(axis, (int,), "axis")
        self.width, self.axis = width, axis
        super().__init__(width=width, axis=axis)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Slide over an array of one dimension."""
        array = np.asarray(values[0])
        if array.ndim != 1:
            raise RuntimeError(
                f"SlidingWindow: SlidingWindowOp supports 1D input only for now, but got rank: {array.ndim}."
            )
        if self.axis not in (0, -1):
            raise RuntimeError(f"SlidingWindow: axis supports 0 or -1 only for now, but got: {self.axis}")
        if len(array) < self.width:
            return np.empty((0, self.width), array.dtype)
        return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(array, self.width))


class ToNumber(TensorOperation):
    """Reads texts as numbers.

    Args:
        data_type: element type of the result.
    """

    def __init__(self, data_type: Any) -> None:
        self.dtype = element_type(data_type, "data_type")
        if self.dtype.kind not in "iuf":
            raise TypeError(f"data_type is not numeric data type: {self.dtype}.")
        super().__init__(data_type=self.dtype.name)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Read an array of texts of any shape."""
        texts = as_texts("ToNumber", values[0])
        numbers = [self._number(str(text)) for text in texts.ravel()]
        return np.array(numbers, self.dtype).reshape(texts.shape)

    def _number(self, text: str) -> float:
        try:
            number: float = float(text) if self.dtype.kind == "f" else int(text)
        except ValueError:
            raise RuntimeError(f"ToNumber: it is invalid to convert '{text}' to a number.") from None
        limits: Any = np.finfo(self.dtype) if self.dtype.kind == "f" else np.iinfo(self.dtype)
        # Python's numbers: numpy would round the text's number to the narrow type before it compares.
        low, high = np.asarray(limits.min).item(), np.asarray(limits.max).item()
        if np.isfinite(number) and not low <= number <= high:
            raise RuntimeError(
                f"ToNumber: string input {text} will be out of bounds if cast to {self.dtype}. The valid range is:"
                f" [{limits.min}, {limits.max}]."
            )
        return number


class ToVectors(TensorOperation):
    """Replaces words by their vectors.

    Args:
        vectors: the vectors.
        unk_init: the vector of unknown words; None for zeros.
        lower_case_backup: look a word up in lower case where it is not there as it is.
    """

    def __init__(
        self, vectors: Vectors, unk_init: Sequence[float] | None = None, lower_case_backup: bool = False
    ) -> None:
        check_type(vectors, (Vectors,), "vectors")
        check_type(lower_case_backup, (bool,), "lower_case_backup")
        given = [] if unk_init is None else list(unk_init)
        check_list(given, (int, float), "unk_init")
        if given and len(given) != vectors.dim:
            raise ValueError(f"ToVectors: unk_init must be of {vectors.dim} numbers, as the vectors, not {len(given)}")
        self.vectors, self.lower_case_backup = vectors, lower_case_backup
        self.unknown = np.array(given or [0] * vectors.dim, np.float32)
        super().__init__(unk_init=given, lower_case_backup=lower_case_backup)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Replace a word (), or a sequence (length): the result is (dim) or (length, dim) Float32."""
        texts = as_texts("ToVectors", values[0])
        if texts.ndim > 1:
            raise RuntimeError(f"ToVectors: input should be a scalar or 1-D, but got rank: {texts.ndim}.")
        found = [self.vectors.lookup(str(word), self.unknown, self.lower_case_backup) for word in texts.ravel()]
        return np.array(found, np.float32).reshape(*texts.shape, self.vectors.dim)


class Truncate(TensorOperation):
    """Cuts sequences to a length, along the last axis of an array of one or two dimensions.

    Args:
        max_seq_len: the length.
    """

    def __init__(self, max_seq_len: int) -> None:
        check_type(max_seq_len, (int,), "max_seq_len")
        check_interval(max_seq_len, (0, INT32), "max_seq_len")
        self.length = max_seq_len
        super().__init__(max_seq_len=max_seq_len)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Cut a sequence, or each of several."""
        array = np.asarray(values[0])
        if array.ndim not in (1, 2):
            raise RuntimeError(f"Truncate: the shape of input should be 1 or 2, but got rank: {array.ndim}")
        return np.ascontiguousarray(array[..., : self.length])


class TruncateSequencePair(TensorOperation):
    """Cuts two sequences until both together have a length, the longer one first.

    Args:
        max_length: the length of both together.
    """

    takes_all = True

    def __init__(self, max_length: int) -> None:
        check_type(max_length, (int,), "max_length")
        check_interval(max_length, (0, INT32), "max_length")
        self.length = max_length
        super().__init__(max_length=max_length)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Cut two arrays of one dimension."""
        if len(values) != 2:
            raise RuntimeError(f"TruncateSequencePair: Number of inputs should be two, but got {len(values)}.")
        first, second = np.asarray(values[0]), np.asarray(values[1])
        if first.ndim != 1 or second.ndim != 1:
            raise RuntimeError("TruncateSequencePair: Both sequences should be of rank 1")
        left, right = len(first), len(second)
        while left + right > self.length:
            if left > right:
                left -= 1
            else:
                right -= 1
        return first[:left], second[:right]


class PythonTokenizer(TensorOperation):
    """Divides a text by a Python function.

    Args:
        tokenizer: function of a text that returns the parts.
    """

    def __init__(self, tokenizer: Callable[[str], Sequence[str]]) -> None:
        if not callable(tokenizer):
            raise TypeError("tokenizer is not a callable Python function.")
        self.tokenizer = tokenizer
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Divide a text."""
        return np.array(list(self.tokenizer(one_text("PythonTokenizer", values[0]))), np.str_)

    def to_json(self) -> dict[str, Any]:
        """The function's name."""
        return operation_json(self.tokenizer)
