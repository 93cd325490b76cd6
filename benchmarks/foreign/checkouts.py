"""Tells what a checkout holds by its contents: models in a registry, directories of models, pages, tests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_USES = re.compile(rb"^\s*(?:import|from)\s+mindspore\b", re.MULTILINE)
_REGISTERED = re.compile(rb"^@register_model\b", re.MULTILINE)
_SCRIPT = re.compile(r"(?:train|eval|finetune|pretrain|run)\w*\.py$")
_BLOCK = re.compile(rb"```python|\"cell_type\": \"code\"")


@dataclass(frozen=True)
class Checkout:
    """A folder with programs.

    Attributes:
        root: of the checkout, or a folder in it.
    """

    root: Path

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.root.name

    def registered(self) -> list[Path]:
        """The modules that register models."""
        return [path for path in self._files(".py") if _REGISTERED.search(path.read_bytes())]

    def model_directories(self) -> list[Path]:
        """The folders of published models: the topmost with a script that trains or evaluates, and uses MindSpore."""
        if self.registered() or self.tests():
            return []
        return list(self._model_directories(self.root))

    def _model_directories(self, folder: Path) -> Iterator[Path]:
        entries = sorted(folder.iterdir())
        scripts = [entry for entry in entries if entry.suffix == ".py" and entry.is_file()]
        if any(_SCRIPT.match(entry.name) for entry in scripts) and any(_uses(entry) for entry in scripts):
            yield folder
            return
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink() and not entry.name.startswith("."):
                yield from self._model_directories(entry)

    def pages(self) -> list[Path]:
        """The pages with blocks of Python: of each language that a folder `source_...` stands for, English first."""
        for pattern in ("source_en", "source_*"):
            folders = [path for path in self._folders() if path.match(pattern) and path.parent.name == "tutorials"]
            if folders:
                found = [page for folder in folders for page in sorted(folder.rglob("*")) if _is_page(page)]
                return [page for page in found if _BLOCK.search(page.read_bytes())]
        return []

    def tests(self) -> list[Path]:
        """The files of tests below `tests/ut/python` and `tests/st`, except where they test what has other machines."""
        places = [folder for folder in (self.root, *self.root.parents[:2]) if (folder / "tests" / "ut").is_dir()]
        if not places:
            return []
        out = {"parallel", "dataset", "dataset_deprecated", "pi_jit", "auto_parallel", "model_zoo_tests"}
        found = [path for path in self._files(".py") if path.name.startswith("test_")]
        found = [path for path in found if path.is_relative_to(places[0] / "tests")]
        return [path for path in found if not out & set(path.relative_to(places[0]).parts) and _runs_here(path)]

    def _files(self, suffix: str) -> list[Path]:
        return sorted(
            Path(folder, name)
            for folder, folders, names in os.walk(self.root)
            if not _is_hidden(folder, self.root, folders)
            for name in names
            if name.endswith(suffix)
        )

    def _folders(self) -> list[Path]:
        here = [self.root, *self.root.parents[:1]]
        return (
            here
            + [path for path in self.root.glob("*/*") if path.is_dir()]
            + [path for path in self.root.glob("*") if path.is_dir()]
        )


def _is_hidden(folder: str, root: Path, folders: list[str]) -> bool:
    folders[:] = [name for name in folders if not name.startswith(".")]
    return False


def _uses(path: Path) -> bool:
    return bool(_USES.search(path.read_bytes()))


def _is_page(path: Path) -> bool:
    return path.suffix in {".md", ".ipynb"} and path.is_file()


def _runs_here(path: Path) -> bool:
    """Whether a file has tests for the CPU; system tests are marked for the machines that they are for."""
    parts = path.parts
    return "st" not in parts or bool(re.search(rb"cpu_linux|platform_x86_cpu", path.read_bytes()))
