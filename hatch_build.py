"""Builds the front end and the compiled parts into a wheel: that of the dashboard, or that of the writer in `writer/`.

Called by hatchling, through `pip install ./writer .` and `make dist`. The section of this hook in the wheel's
`pyproject.toml` says what it holds.

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
    "summaries/kernel/_walk.so": "summaries.kernel.build",
    "mindinsight/scalars/kernel/_pixels.so": "mindinsight.scalars.kernel.build",
    "mindinsight/store/kernel/_levels.so": "mindinsight.store.kernel.build",
    "mindinsight/profiles/kernel/_traces.so": "mindinsight.profiles.kernel.build",
    "mindinsight/graphs/substructures/kernel/_repeats.so": "mindinsight.graphs.substructures.kernel.build",
}
_BY_PATH = {
    "debugging/tensors/kernel/_statistics.so": "debugging/tensors/kernel/build.py",
    "framework/dataset/vision/kernel/_pixels.so": "framework/dataset/vision/kernel/compiled.py",
    "framework/kernels/loops/_loops.so": "framework/kernels/loops/build.py",
    f"framework/pynative/fast/kernel/_small_tensors{sysconfig.get_config_var('EXT_SUFFIX')}": (
        "framework/pynative/fast/kernel/build.py"
    ),
}
"""Libraries, and the module or the script that makes each."""


class WheelBuildHook(BuildHookInterface[Any]):
    """Makes sure that what is not in git is there and current before files are collected.

    Its options:

    - `checkout`: the checkout's root, from the folder of `pyproject.toml`; by default that folder.
    - `pages`: whether the wheel holds the pages; by default it does.
    - `compiled`: the packages whose compiled parts it holds; by default those of the dashboard and of the core.
    - `parts`: files and folders of the checkout that are packed, as far as they exist, where `pyproject.toml` is not
      beside them.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing or old.

        Raises:
            SystemExit: Node.js or npm is missing, or the pages' build failed; the message says what to do.
        """
        if version == "editable":
            return
        if self.config.get("pages", True) and os.environ.get("MINDINSIGHT_SKIP_FRONTEND") != "1":
            self._build_pages()
        if compiled := self._compile():
            build_data["artifacts"] += compiled
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
        for part in self.config.get("parts", ()):
            if (self._checkout / part).exists():
                build_data["force_include"][str(self._checkout / part)] = part

    @property
    def _checkout(self) -> Path:
        return Path(self.root, self.config.get("checkout", ".")).resolve()

    def _build_pages(self) -> None:
        sys.path.insert(0, str(self._checkout / "tools"))
        from frontend import Frontend, NodeMissingError

        frontend = Frontend(self._checkout)
        if frontend.is_built():
            return
        try:
            frontend.build()
        except NodeMissingError as error:
            raise SystemExit(f"{error} To build a wheel without pages, set MINDINSIGHT_SKIP_FRONTEND=1.") from error

    def _compile(self) -> list[str]:
        """The libraries that could be made."""
        packages = self.config.get("compiled", ("mindinsight", "framework"))
        libraries = [one for one in (*_COMPILED, *_BY_PATH) if one.partition("/")[0] in packages]
        for library in libraries:
            # By its path where the packages around it need more than is there yet.
            how = ["-m", _COMPILED[library]] if library in _COMPILED else [_BY_PATH[library]]
            subprocess.run([sys.executable, *how], cwd=self._checkout, check=False)
        return [library for library in libraries if (self._checkout / library).is_file()]
