"""The seed of all randomness: initializers, random operators and data pipelines draw from here."""

from __future__ import annotations

import json

import numpy as np

__all__ = ["generator", "get_seed", "get_state", "manual_seed", "new_key", "position", "set_seed", "set_state"]

_seed: int | None = None
_drawn = 0
_generator = np.random.default_rng()


def set_seed(seed: int) -> None:
    """Make all that is random from here on repeat itself: the same seed, the same program, the same numbers.

    Raises:
        ValueError: the seed is no integer of at least 0.

    """
    global _seed, _drawn, _generator
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"a seed is an integer of at least 0, not {seed!r}")
    _seed = seed
    _drawn = 0
    _generator = np.random.default_rng(seed)


#: Its name beside generators in MindSpore 2.x.
manual_seed = set_seed


def get_seed() -> int | None:
    """The seed that was set, None if none was."""
    return _seed


def generator() -> np.random.Generator:
    """The stream that initializers draw from."""
    return _generator


def new_key() -> int:
    """A number for the next execution of a random operator: operators draw from streams of their own.

    A random operator executes as often and in the same order in both modes, so it gets the same numbers in both.
    """
    global _drawn
    _drawn += 1
    if _seed is None:
        return int(_generator.integers(1 << 62))
    return int(np.random.SeedSequence((_seed, _drawn)).generate_state(1, np.uint64)[0])


def position() -> tuple[int, int]:
    """How much has been drawn; it differs after every draw."""
    return _drawn, _generator.bit_generator.state["state"]["state"]


def get_state() -> str:
    """All that randomness depends on from here on, as text: a checkpoint keeps it, so that a training can go on."""
    return json.dumps({"seed": _seed, "drawn": _drawn, "generator": _generator.bit_generator.state})


def set_state(state: str) -> None:
    """Go on as where `get_state` was called.

    Raises:
        ValueError: the text is not what `get_state` returns.

    """
    global _seed, _drawn, _generator
    try:
        read = json.loads(state)
        made = np.random.default_rng()
        made.bit_generator.state = read["generator"]
        _seed, _drawn, _generator = read["seed"], int(read["drawn"]), made
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"this is not a state of the random number generators: {state[:40]!r}") from error
