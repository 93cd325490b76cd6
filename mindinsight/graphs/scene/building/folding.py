"""Folds many boxes into few: equal ones with the same neighbours, chains, slices. Used by `containers`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.scene.building.scopes import Ints
from mindinsight.graphs.scene.building.units import mixed

MOST_BOXES = 60
SLICES = 40
_LEAST_SLICES = 8
_ROOMY = 20
CROWD = 20_000
"""The number of boxes above which a crowd is cut into slices at once, without a look at its edges."""
_LEAST_CHAIN = 4
_LEAST_EQUAL = 3


@dataclass(frozen=True, slots=True)
class Part:
    """Entries of a crowd that are drawn as one box.

    Attributes:
        members: the places of the entries in the crowd, in order.
        how: "equal", "chain" or "slice".
        position: for a slice, its number and the number of slices.
    """

    members: Ints
    how: str
    position: tuple[int, int] = (0, 0)


def fold(count: int, labels: Ints, single: npt.NDArray[np.bool], sources: Ints, targets: Ints) -> list[int | Part]:
    """Returns the parts that a crowd is drawn as, at most `MOST_BOXES`, in order.

    Args:
        count: the number of entries.
        labels: the label of each entry.
        single: which entries are single nodes.
        sources, targets: the edges between entries; below 0 for neighbours elsewhere.
    """
    group = np.arange(count)
    if MOST_BOXES < count <= CROWD:
        group = _equal(labels, single, sources, targets)
    kinds = {int(number): "equal" for number in np.flatnonzero(np.bincount(group, minlength=count) > 1)}
    if MOST_BOXES < _different(group) <= CROWD:
        chained = _chains(group, single, sources, targets)
        for number in np.unique(chained[chained != group]).tolist():
            kinds[int(number)] = "chain"
        group = chained
    if _different(group) > MOST_BOXES:
        return _slices(group, kinds, single)
    return _parts(group, kinds)


def _different(group: Ints) -> int:
    return int(np.count_nonzero(np.bincount(group)))


def slice_up(count: int) -> list[int | Part]:
    """Returns a crowd as slices in order."""
    return _cut(np.arange(count), MOST_BOXES) if count > MOST_BOXES else list(range(count))


def _cut(rest: Ints, room: int) -> list[int | Part]:
    """Returns entries as slices, or each as a separate part if all fit."""
    if len(rest) <= room:
        return list(rest.tolist())
    pieces = np.array_split(rest, min(max(2, -(-len(rest) // _ROOMY)), SLICES, room))
    return [
        Part(piece, "slice", (number + 1, len(pieces))) if len(piece) > 1 else int(piece[0])
        for number, piece in enumerate(pieces)
    ]


def _parts(group: Ints, kinds: dict[int, str]) -> list[int | Part]:
    sizes = np.bincount(group, minlength=len(group))
    return _sorted([*np.flatnonzero(sizes[group] == 1).tolist(), *_together(group, sizes, kinds)])


def _together(group: Ints, sizes: Ints, kinds: dict[int, str]) -> list[Part]:
    """Returns the entries that are drawn as one box."""
    together = np.flatnonzero(sizes[group] > 1)
    if not len(together):
        return []
    order = together[np.argsort(group[together], kind="stable")]
    runs = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    return [Part(members, kinds.get(int(group[members[0]]), "equal")) for members in runs]


def _sorted(parts: list[int | Part]) -> list[int | Part]:
    return sorted(parts, key=lambda part: int(part.members[0]) if isinstance(part, Part) else part)


def _equal(labels: Ints, single: npt.NDArray[np.bool], sources: Ints, targets: Ints) -> Ints:
    """Returns for each entry the first entry with the same label and the same neighbours."""
    count = len(labels)
    before, after = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    for mine, other, total in ((targets, sources, before), (sources, targets, after)):
        chosen = mine >= 0
        np.add.at(total, mine[chosen], mixed(other[chosen]))
    key = np.stack([labels.astype(np.uint64), before, after])
    _, first, same, counts = np.unique(key, axis=1, return_index=True, return_inverse=True, return_counts=True)
    same = same.ravel()
    joined = single & (counts[same] >= _LEAST_EQUAL)
    # Equal entries that are not single nodes keep their own boxes.
    lead = np.full(len(first), count, np.int64)
    np.minimum.at(lead, same[joined], np.flatnonzero(joined))
    return np.where(joined, lead[same], np.arange(count))


def _chains(group: Ints, single: npt.NDArray[np.bool], sources: Ints, targets: Ints) -> Ints:
    """Returns for each entry the first of its chain: each feeds only the next, which reads only from it."""
    count = len(group)
    inner = (sources >= 0) & (targets >= 0)
    pairs = np.unique(np.stack([group[sources[inner]], group[targets[inner]]]), axis=1)
    left, right = pairs[:, pairs[0] != pairs[1]]
    outs, ins = np.bincount(left, minlength=count), np.bincount(right, minlength=count)
    alone = single[left] & single[right] & (group[left] == left) & (group[right] == right)
    linked = (outs[left] == 1) & (ins[right] == 1) & alone
    following = np.full(count, -1, np.int64)
    following[left[linked]] = right[linked]
    begins = np.setdiff1d(left[linked], right[linked])
    result = group.copy()
    sizes = np.bincount(group, minlength=count)
    for begin in begins.tolist():
        run = [begin]
        while following[run[-1]] >= 0 and len(run) <= count:
            run.append(int(following[run[-1]]))
        run = [member for member in run if sizes[member] == 1]
        if len(run) >= _LEAST_CHAIN:
            result[run] = min(run)
    return result


def _slices(group: Ints, kinds: dict[int, str], single: npt.NDArray[np.bool]) -> list[int | Part]:
    """Cuts single units into slices. Combined entries stay, unless there are too many."""
    sizes = np.bincount(group, minlength=len(group))
    together = _together(group, sizes, kinds)
    kept: list[int | Part] = [*together, *np.flatnonzero((sizes[group] == 1) & ~single).tolist()]
    if len(kept) > MOST_BOXES - _LEAST_SLICES:
        kept = list(sorted(together, key=lambda part: (-len(part.members), part.members[0]))[: SLICES // 2])
    alone = np.ones(len(group), np.bool)
    for part in kept:
        alone[part.members if isinstance(part, Part) else part] = False
    return _sorted([*kept, *_cut(np.flatnonzero(alone), MOST_BOXES - len(kept))])


def crowd_name(
    ops: Sequence[int | str], how: str, position: tuple[int, int], text_of: Callable[[int | str], str]
) -> str:
    """Returns the name of a box of several operators.

    Args:
        ops: the number or name of each operator.
        how: how they were combined, as in `Part`.
        position: the position of a slice.
        text_of: returns the text of an entry of `ops`.
    """
    often = [text_of(op) for op, _ in Counter(ops).most_common(2)]
    if how == "equal":
        return often[0]
    if how == "chain":
        return f"{text_of(ops[0])} … {text_of(ops[-1])}"
    return f"{' + '.join(often)} … {position[0]}/{position[1]}"
