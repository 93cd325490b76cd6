"""Versions of the packages that a program uses, from the names of installed folders, without importing anything."""

import os
import re
import sys
from functools import lru_cache

MOST = 200
"""Maximum number of packages that are listed."""
_MOST_ENTRIES = 20_000

# Listed even if they are only installed, not imported.
_IMPORTANT = """
    mindinsight mindinsight-writer mindspore mindspore-gpu mindspore-ascend numpy scipy torch torchvision torchaudio
    tensorflow jax jaxlib flax cupy cupy-cuda11x cupy-cuda12x cupy-cuda13x transformers datasets accelerate deepspeed
    pytorch-lightning lightning keras scikit-learn pandas pillow opencv-python opencv-python-headless protobuf onnx
    onnxruntime triton xgboost lightgbm
"""
_MATTERS = frozenset(_IMPORTANT.split())
# Packages whose import name differs from their installed name.
_MODULES = {
    "scikit-learn": "sklearn",
    "scikit-image": "skimage",
    "pillow": "PIL",
    "protobuf": "google",
    "pyyaml": "yaml",
    "opencv-python": "cv2",
    "opencv-python-headless": "cv2",
    "python-dateutil": "dateutil",
    "msgpack-python": "msgpack",
    "mindspore-gpu": "mindspore",
    "mindspore-ascend": "mindspore",
    "cupy-cuda11x": "cupy",
    "cupy-cuda12x": "cupy",
    "cupy-cuda13x": "cupy",
}
_FOLDER = re.compile(r"(?P<name>[\w.]+)-(?P<version>[^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info")


def used_packages() -> dict[str, str]:
    """Return name and version of the packages that are imported, or installed and important; by name."""
    imported = {name.partition(".")[0] for name in tuple(sys.modules)}
    found = {
        name: version
        for name, version in _installed(tuple(sys.path)).items()
        if name in _MATTERS or _MODULES.get(name, name.replace("-", "_")) in imported
    }
    for name in _MATTERS - found.keys():
        # Built from source, or found by PYTHONPATH: use the module's own version.
        version = getattr(sys.modules.get(_MODULES.get(name, name)), "__version__", None)
        if isinstance(version, str) and not _is_there(name, found):
            found[name] = version
    first = sorted(found, key=lambda name: (name not in _MATTERS, name))[:MOST]
    return {name: found[name] for name in sorted(first)}


def _is_there(name: str, found: dict[str, str]) -> bool:
    """Whether the same module was found under another package name."""
    module = _MODULES.get(name, name)
    return any(_MODULES.get(other, other) == module for other in found)


@lru_cache(maxsize=4)
def _installed(places: tuple[str, ...]) -> dict[str, str]:
    """Return all packages on `sys.path`; the first of a name counts, as for imports."""
    found: dict[str, str] = {}
    left = _MOST_ENTRIES
    for place in places:
        try:
            entries = [entry.name for entry in os.scandir(place or ".")][:left]
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            match = _FOLDER.fullmatch(entry)
            if match:
                found.setdefault(re.sub(r"[-_.]+", "-", match["name"]).lower(), match["version"])
    return found
