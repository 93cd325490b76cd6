"""Where in the source an operator executes, found by Python's own stack; for names that are those of graph mode.

Graph mode follows the source and knows whether a loop or a recursion goes on as long as a tensor says: then it is one
place. Here that shows when a tensor is asked whether it is true.
"""

from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass, field
from types import CodeType, FrameType

from framework.ir.anf import Location
from framework.ir.naming import Passage, Site, is_internal

__all__ = ["Places", "location_of", "user_frame"]

Span = tuple[Site, Site]
"""From where to where something stands in a file."""


@dataclass(frozen=True)
class _Choice:
    """A choice between two paths in a file's source.

    Attributes:
        whole: where it stands.
        test: where its condition does.
        is_loop: whether it is a `while`.
    """

    whole: Span
    test: Span
    is_loop: bool


class _Way(Passage):
    """A way through a function's source, with the choices on it that a tensor has decided."""

    def __init__(self, outer: Passage | None = None, site: Site = (0, 0), again: Passage | None = None) -> None:
        super().__init__(outer, site, again)
        self.choices: dict[_Choice, _Decided] = {}


@dataclass(eq=False)
class _Decided:
    """A choice that a tensor decides, in one call of its function.

    Attributes:
        choice: in the source.
        inside: the way through what was chosen, of a loop through its round.
        before: how often the places of a loop's condition had been passed before it.
        after: and how often when its condition had been looked at once.
        entered: whether it is going on.
        looked: at which part of the condition a tensor was asked last, None if something else came after.
    """

    choice: _Choice
    inside: _Way
    before: dict[tuple[Site, str], int] = field(default_factory=dict)
    after: dict[tuple[Site, str], int] = field(default_factory=dict)
    entered: bool = False
    looked: Site | None = None


class Places:
    """The places of one outermost call.

    Args:
        boundary: the frame within which it is called.
    """

    def __init__(self, boundary: FrameType | None) -> None:
        self.boundary = boundary
        #: The frame of the outermost function.
        self.outermost: FrameType | None = None
        self._ways: dict[FrameType, _Way] = {}
        #: The way of what executes outside of all functions of the user's, such as what arranges a Jacobian.
        self._outside = _Way()
        #: Functions in which a tensor has decided something: where they call themselves, it is one place.
        self._decided: set[CodeType] = set()

    def of(self, frame: FrameType, kind: str) -> tuple[object, ...]:
        """Pass the place of an operator that is executed by a call from this frame."""
        way, at = self._way(frame)
        return way.place(at, kind)

    def decide(self, frame: FrameType, truth: bool) -> None:
        """Record that a tensor decides the next step in a frame of the user's."""
        self._decided.add(frame.f_code)
        way, at = self._way(frame)
        choice = _choice_at(frame.f_code.co_filename, at)
        if choice is None:
            return
        decided = way.choices.get(choice)
        if decided is None:
            decided = way.choices[choice] = _Decided(choice, way)
        if choice.is_loop:
            _next_round(decided, way, truth)
        elif decided.looked is None or at <= decided.looked:
            decided.inside, decided.entered = _Way(way, choice.test[0]), True
            decided.inside.begin()
        decided.looked = at

    def _way(self, frame: FrameType) -> tuple[_Way, Site]:
        """The way through the source to where a frame is, and that place."""
        frames = self._frames(frame)
        known = self._ways = {item: self._ways[item] for item in frames if item in self._ways}
        self.outermost = frames[0] if frames else None
        way, at = self._outside, (0, 0)
        first: dict[CodeType, _Way] = {}
        for number, item in enumerate(frames):
            if item not in known:
                outermost = first.get(item.f_code) if item.f_code in self._decided else None
                known[item] = _Way(again=outermost) if outermost else _Way(way, at) if number else _Way()
            first.setdefault(item.f_code, known[item])
            at = _sites(item.f_code)[item.f_lasti // 2]
            way = _inside(known[item], at)
        return way, at

    def _frames(self, frame: FrameType | None) -> list[FrameType]:
        """The user's frames from the outermost to this one."""
        found: list[FrameType] = []
        while frame is not None and frame is not self.boundary:
            if not is_internal(frame.f_code.co_filename):
                found.append(frame)
            frame = frame.f_back
        if frame is None and len(found) > 1:
            found.pop()  # the script itself
        return found[::-1]


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's source."""
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def location_of(frame: FrameType | None, boundary: FrameType | None = None) -> Location | None:
    """The line at which the user's source is.

    Args:
        frame: the innermost frame.
        boundary: the frame that calls the outermost function; with it, the place has its callers.
    """
    frame = user_frame(frame)
    if frame is None:
        return None
    code, line = frame.f_code, frame.f_lineno
    caller = None if boundary is None else _caller_of(frame, boundary)
    source = linecache.getline(code.co_filename, line)
    return Location(code.co_filename, line, source=source, function=code.co_name, caller=caller)


def _caller_of(frame: FrameType, boundary: FrameType) -> Location | None:
    """The place of the call that led to a frame; None at the boundary."""
    calls: list[FrameType] = []
    around = frame.f_back
    while around is not None and around is not boundary:
        if not is_internal(around.f_code.co_filename):
            calls.append(around)
        around = around.f_back
    caller: Location | None = None
    for item in reversed(calls if around is boundary else []):
        caller = Location(item.f_code.co_filename, item.f_lineno, function=item.f_code.co_name, caller=caller)
    return caller


def _next_round(loop: _Decided, way: _Way, truth: bool) -> None:
    """A loop's condition was looked at."""
    tested = {key: count for key, count in way.passed.items() if _within(key[0], loop.choice.test)}
    if loop.entered:
        loop.inside = _Way(again=loop.inside)
        loop.after.update(tested if loop.looked is not None else {})
    else:
        loop.inside, loop.after, loop.entered = _Way(way, loop.choice.test[0]), tested, True
        loop.inside.begin()
    if truth:
        # The next look at the condition is at the same place.
        way.passed.update((key, loop.before.get(key, 0)) for key in tested)
    else:
        _leave(loop, way)


def _inside(way: _Way, at: Site) -> _Way:
    """The way through the innermost choice around a place, of those that a tensor has decided."""
    for decided in way.choices.values():
        if _within(at, decided.choice.test):
            continue
        decided.looked = None
        if decided.entered and not _within(at, decided.choice.whole):
            _leave(decided, way)
        elif decided.entered:
            return _inside(decided.inside, at)
    return way


def _leave(decided: _Decided, way: _Way) -> None:
    """A choice is over: the next time the condition of a loop is looked at is another place."""
    decided.entered = False
    way.passed.update(decided.after)
    decided.before = dict(decided.after)


def _within(site: Site, span: Span) -> bool:
    return span[0] <= site < span[1]


@functools.lru_cache(maxsize=4096)
def _sites(code: CodeType) -> list[Site]:
    return [(line or 0, column or 0) for line, _, column, _ in code.co_positions()]


@functools.lru_cache(maxsize=256)
def _choices_of(file: str) -> list[_Choice]:
    """The choices in a file's source, inner ones after those around them."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.While | ast.If | ast.IfExp))
    return [_Choice(_span(node), _span(node.test), isinstance(node, ast.While)) for node in nodes]


def _span(node: ast.stmt | ast.expr) -> Span:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def _choice_at(file: str, site: Site) -> _Choice | None:
    """The choice whose condition holds a place."""
    return next((found for found in reversed(_choices_of(file)) if _within(site, found.test)), None)
