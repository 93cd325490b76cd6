"""Learns the pieces of a SentencePiece model: characters, words, pairs that are joined, or a unigram model.

The results are not those of Google's library to the piece: seeds, ties and rounding differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from framework.dataset.text.choices import SentencePieceModel
from framework.dataset.text.piece_files import SPACE, Kind, Piece, Pieces, prepared

__all__ = ["learned"]

_SPECIAL: Final = (
    Piece("<unk>", 0.0, Kind.UNKNOWN),
    Piece("<s>", 0.0, Kind.CONTROL),
    Piece("</s>", 0.0, Kind.CONTROL),
)
#: Length of the longest piece, number of seeds for each piece, and share that one round of pruning keeps.
_LONGEST, _SEEDS, _KEPT = 16, 10, 0.75
_ROUNDS: Final = 2
Counts = Mapping[str, float]


def learned(texts: Iterable[str], size: int, coverage: float, model_type: SentencePieceModel) -> Pieces:
    """Learn a model.

    Args:
        texts: the texts.
        size: number of pieces.
        coverage: share of the characters of the texts that are pieces.
        model_type: kind of the model.

    Raises:
        ValueError: the texts have too few parts for as many pieces, or too many characters.
    """
    words = Counter(SPACE + word for text in texts for word in prepared(text).split(SPACE)[1:])
    if not words:
        raise ValueError("there are no words to learn pieces from")
    room = size - len(_SPECIAL)
    characters = _characters(words, coverage)
    if model_type is SentencePieceModel.WORD:
        total = sum(words.values())
        scores = {word: math.log(count / total) for word, count in words.most_common(room)}
    elif model_type is SentencePieceModel.CHAR:
        total = sum(characters.values())
        kept = sorted(characters, key=lambda one: (-characters[one], one))[:room]
        scores = {character: math.log(characters[character] / total) for character in kept}
    else:
        if len(characters) > room:
            raise ValueError(f"vocab_size {size} is too small for {len(characters)} characters: set it to more")
        known = {word: count for word, count in words.items() if set(word) <= set(characters)}
        scores = (_pairs if model_type is SentencePieceModel.BPE else _unigrams)(known, characters, room)
    if len(scores) < room:
        raise ValueError(f"vocab_size {size} is too large: the texts give {len(scores) + len(_SPECIAL)} pieces")
    ordered = sorted(scores, key=lambda piece: (-scores[piece], piece))
    return Pieces([*_SPECIAL, *(Piece(piece, scores[piece]) for piece in ordered)], model_type)


def _characters(words: Counts, coverage: float) -> Counter[str]:
    """The most frequent characters that make up a share of the texts."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += int(count)
    total, seen = sum(counts.values()), 0
    kept: Counter[str] = Counter()
    for character in sorted(counts, key=lambda one: (-counts[one], one)):
        if seen >= coverage * total:
            break
        kept[character] = counts[character]
        seen += counts[character]
    return kept


def _pairs(words: Counts, characters: Counts, room: int) -> dict[str, float]:
    """Byte pair encoding: joins the most frequent pair of neighbors, again and again; earlier pairs score more."""
    parts = {word: list(word) for word in words}
    joined: list[str] = []
    while len(joined) + len(characters) < room:
        counts: Counter[tuple[str, str]] = Counter()
        for word, split in parts.items():
            for pair in pairwise(split):
                counts[pair] += int(words[word])
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), pair))
        both = "".join(best)
        joined.append(both)
        for split in parts.values():
            place = 0
            while place < len(split) - 1:
                if (split[place], split[place + 1]) == best:
                    split[place : place + 2] = [both]
                place += 1
    ordered = [*dict.fromkeys(joined), *sorted(characters, key=lambda one: (-characters[one], one))]
    return {piece: -float(place) for place, piece in enumerate(dict.fromkeys(ordered))}


def _unigrams(words: Counts, characters: Counts, room: int) -> dict[str, float]:
    """A unigram model: from frequent parts, by expectation and maximization, without the pieces that matter least."""
    scores = _seeds(words, characters, room * _SEEDS)
    while True:
        for _ in range(_ROUNDS):
            scores = _maximized(_expected(words, scores), characters)
        if len(scores) <= room:
            return scores
        scores = _pruned(words, scores, characters, max(room, int(len(scores) * _KEPT)))


def _seeds(words: Counts, characters: Counts, most: int) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 2, min(start + _LONGEST, len(word)) + 1):
                counts[word[start:end]] += int(count)
    worth = {part: count * len(part) for part, count in counts.items() if count > 1}
    kept = sorted(worth, key=lambda part: (-worth[part], part))[: max(most - len(characters), 0)]
    weights = {**{part: float(worth[part]) for part in kept}, **{one: float(n) for one, n in characters.items()}}
    total = sum(weights.values())
    return {part: math.log(weight / total) for part, weight in weights.items()}


def _expected(words: Counts, scores: Mapping[str, float]) -> Counter[str]:
    """How often each piece is expected in all divisions of the words (forward and backward sums)."""
    longest = max(map(len, scores))
    expected: Counter[str] = Counter()
    for word, count in words.items():
        size = len(word)
        spans = [
            (start, end, scores[word[start:end]])
            for start in range(size)
            for end in range(start + 1, min(start + longest, size) + 1)
            if word[start:end] in scores
        ]
        forward, backward = np.full(size + 1, -np.inf), np.full(size + 1, -np.inf)
        forward[0] = backward[size] = 0.0
        for start, end, score in sorted(spans, key=lambda span: span[1]):
            forward[end] = np.logaddexp(forward[end], forward[start] + score)
        for start, end, score in reversed(spans):
            backward[start] = np.logaddexp(backward[start], score + backward[end])
        for start, end, score in spans:
            share = math.exp(forward[start] + score + backward[end] - forward[size])
            expected[word[start:end]] += count * share  # type: ignore[assignment]
    return expected


def _maximized(expected: Mapping[str, float], characters: Counts) -> dict[str, float]:
    kept = {piece: max(count, 1e-3) for piece, count in expected.items()}
    for character in characters:
        kept.setdefault(character, 1e-3)
    total = sum(kept.values())
    return {piece: math.log(count / total) for piece, count in kept.items()}


def _pruned(words: Counts, scores: dict[str, float], characters: Counts, size: int) -> dict[str, float]:
    """The pieces without those whose loss costs least: how often they are used, times what replaces them."""
    model = Pieces([Piece(piece, score) for piece, score in scores.items()], SentencePieceModel.UNIGRAM)
    used: Counter[str] = Counter()
    for word, count in words.items():
        for piece in model.best(word):
            used[piece] += int(count)
    loss = {piece: used[piece] * (scores[piece] - model.without(piece)) for piece in scores if piece not in characters}
    kept = sorted(loss, key=lambda piece: (-loss[piece], piece))[: size - len(characters)]
    return {piece: scores[piece] for piece in (*kept, *characters)}
