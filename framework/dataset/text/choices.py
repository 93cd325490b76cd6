"""Enumerations for the arguments of text transforms."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["JiebaMode", "NormalizeForm", "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel"]


class JiebaMode(IntEnum):
    """How `JiebaTokenizer` finds words: MP by a dictionary, HMM by a Markov model, MIX by both."""

    MIX = 0
    MP = 1
    HMM = 2


class NormalizeForm(IntEnum):
    """Normal form of Unicode."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class SentencePieceModel(IntEnum):
    """Kind of model of SentencePiece."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(IntEnum):
    """Result of `SentencePieceTokenizer`: pieces, or their numbers."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(IntEnum):
    """Where `SentencePieceTokenizer` gets its model from: a file, or a `SentencePieceVocab`."""

    FILE = 0
    MODEL = 1
