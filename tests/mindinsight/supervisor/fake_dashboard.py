"""A supervisor with small fake children, run as a program: its report is printed line by line.

`python -m tests.mindinsight.supervisor.fake_dashboard JSON` with the settings of `FakeDashboard` in `conftest.py`.
"""

# ruff: noqa: T201  (printing is its job)

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from mindinsight.supervisor import supervisor
from mindinsight.supervisor.children.commands import ChildCommand
from mindinsight.supervisor.errors import StartError
from mindinsight.supervisor.launch import Dashboard, prepare
from mindinsight.supervisor.options import StartOptions

CHILD = "tests.mindinsight.supervisor.fake_child"
STEM = "tests.mindinsight.supervisor.fake_stem"


class Printer:
    def ready(self) -> None:
        print("ready", flush=True)

    def failed(self, message: str) -> None:
        print(f"failed: {message}", flush=True)

    def note(self, line: str) -> None:
        print(f"note: {line}", flush=True)


def commands(dashboard: Dashboard, behaviours: dict[str, str], diary: str) -> list[ChildCommand]:
    children = []
    # Without a behaviour for the stem, each child is started as a program.
    stem = (sys.executable, "-m", STEM, behaviours["stem"]) if "stem" in behaviours else ()
    if behaviours.get("stem") == "absent":
        stem = ("/nowhere/at/all",)
    for name in ("redis", "worker", "web"):
        behaviour = behaviours.get(name, "good")
        descriptors = (dashboard.listener.fileno(),) if name == "web" else ()
        arguments = [sys.executable, "-m", CHILD, name, behaviour, diary, *descriptors]
        if behaviour == "absent":
            arguments = ["/nowhere/at/all"]
        own_stem = stem if name != "redis" else ()
        program = [str(part) for part in arguments]
        children.append(ChildCommand(name, program, dict(os.environ), Path("/"), descriptors, own_stem))
    return children


def main(settings: dict[str, str]) -> int:
    options = StartOptions(Path(settings["base"]), Path(settings["workspace"]), port=int(settings["port"]))
    supervisor.START_TIMEOUT_S = float(settings["patience"])
    try:
        dashboard = prepare(options)
    except StartError as error:
        Printer().failed(str(error))
        return 1
    children = commands(dashboard, json.loads(settings["behaviours"]), settings["diary"])
    return dashboard.supervise(Printer(), hang_up_stops=settings["hang_up_stops"] == "yes", commands=children)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
