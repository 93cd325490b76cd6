"""MindSpore's `text.utils`: enumerations, vocabularies and vectors, and texts from and to bytes."""

from framework.dataset.text.choices import (
    JiebaMode,
    NormalizeForm,
    SentencePieceModel,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from framework.dataset.text.sentencepiece import SentencePieceVocab
from framework.dataset.text.texts import to_bytes, to_str
from framework.dataset.text.vectors import CharNGram, FastText, GloVe, Vectors
from framework.dataset.text.vocab import Vocab

__all__ = [
    "CharNGram",
    "FastText",
    "GloVe",
    "JiebaMode",
    "NormalizeForm",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
    "Vectors",
    "Vocab",
    "to_bytes",
    "to_str",
]
