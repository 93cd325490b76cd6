"""Builds the front end and the compiled parts into a wheel.

Called by hatchling, through `pip install .` and `make dist`.

Nothing happens for an editable install (`make run` builds both itself), and what is built from the present sources is
taken as it is. MINDINSIGHT_SKIP_FRONTEND=1 asks for a wheel without pages. Where nothing compiles C the wheel has no
compiled parts, and is one for every machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPILED = {
    "summaries.kernel.build": "summaries/kernel/_walk.so",
    "mindinsight.scalars.kernel.build": "mindinsight/scalars/kernel/_pixels.so",
    "mindinsight.store.kernel.build": "mindinsight/store/kernel/_levels.so",
    "mindinsight.graphs.substructures.kernel.build": "mindinsight/graphs/substructures/kernel/_repeats.so",
}
# Run by their paths: the packages around them need more than is there yet.
_CORE = {
    "framework/kernels/loops/build.py": "framework/kernels/loops/_loops.so",
    "framework/pynative/fast/kernel/build.py": "framework/pynative/fast/kernel/_small_tensors"
    f"{sysconfig.get_config_var('EXT_SUFFIX')}",
}


class WheelBuildHook(BuildHookInterface[Any]):
    """Makes sure that what is not in git is there and current before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing or old.

        Raises:
            SystemExit: Node.js or npm is missing, or the pages' build failed; the message says what to do.
        """
        if version == "editable":
            return
        if os.environ.get("MINDINSIGHT_SKIP_FRONTEND") != "1":
            self._build_pages()
        if compiled := self._compile():
            build_data["artifacts"] += compiled
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"

    def _build_pages(self) -> None:
        sys.path.insert(0, str(Path(self.root, "tools")))
        from frontend import Frontend, NodeMissingError

        frontend = Frontend(Path(self.root))
        if frontend.is_built():
            return
        try:
            frontend.build()
        except NodeMissingError as error:
            raise SystemExit(f"{error} To build a wheel without pages, set MINDINSIGHT_SKIP_FRONTEND=1.") from error

    def _compile(self) -> list[str]:
        """The libraries that could be made."""
        for module in _COMPILED:
            subprocess.run([sys.executable, "-m", module], cwd=self.root, check=False)
        for path in _CORE:
            subprocess.run([sys.executable, path], cwd=self.root, check=False)
        return [library for library in (*_COMPILED.values(), *_CORE.values()) if Path(self.root, library).is_file()]
