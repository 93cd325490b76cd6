"""Says in one sentence what to install where the core's libraries are missing: a dashboard's install has none of them.

Called first by `framework/__init__.py`, before any module that imports one of them.
"""

import platform
import sys
from importlib.util import find_spec
from itertools import pairwise

_EVERYWHERE = {"cv2": "opencv-python-headless", "PIL": "pillow", "tqdm": "tqdm"}
_ON_X86_64 = {"llvmlite": "llvmlite"}
"""Packages of the extra `framework` by the names of their imports. onednn-cpu-gomp is not among them: it has no module,
and numpy computes the same."""


def require() -> None:
    """Refuses to go on where a library is missing.

    Raises:
        ImportError: one is missing; the message names the extra that brings it.
        SystemExit: the same, where `python -m framework` was started: a command prints a sentence and no traceback.
    """
    wanted = (_ON_X86_64 if platform.machine() == "x86_64" else {}) | _EVERYWHERE
    missing = [package for name, package in wanted.items() if find_spec(name) is None]
    if not missing:
        return
    named = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    verb = "is" if len(missing) == 1 else "are"
    says = f"The training core needs {named}, which {verb} not installed: pip install 'mindinsight[framework]'"
    if _is_command():
        raise SystemExit(says)
    raise ImportError(says, name=__package__)


def _is_command() -> bool:
    """Whether Python imports this package for `python -m framework`: the program's name is not set yet then."""
    return sys.argv[:1] == ["-m"] and ("-m", __package__) in pairwise(sys.orig_argv)
