"""The reference agrees with the command's own help."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from mindinsight.cli import main

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "command.md"
SECTIONS = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))
SIGNS = {
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "ArrowUp": "↑",
    "ArrowDown": "↓",
    "Escape": "Esc",
    "Shift+ArrowLeft": "⇧ ←",
    "Shift+ArrowRight": "⇧ →",
    "Mod+k": "Ctrl K",
    "Mod+z": "Ctrl Z",
    "Shift+Mod+z": "⇧ Ctrl Z",
    "Mod+y": "Ctrl Y",
    "Shift+F10": "⇧ F10",
}


def test_every_command_has_its_section() -> None:
    assert set(main.commands) <= set(SECTIONS)


@pytest.mark.parametrize("command", main.commands.values(), ids=main.commands.keys())
def test_every_option_has_its_row(command: click.Command) -> None:
    documented = re.findall(r"^\| `(--[a-z_-]+)", SECTIONS[command.name or ""], re.MULTILINE)
    offered = [
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    ]
    assert sorted(documented) == sorted(offered)


def test_every_keyboard_shortcut_is_documented() -> None:
    sources = [path for kind in ("*.vue", "*.ts") for path in (ROOT / "frontend" / "src").rglob(kind)]
    listed = [
        keys
        for path in sources
        if not path.name.endswith(".test.ts")
        for keys in re.findall(r"\{\s*keys: \[\s*((?:'[^']+',?\s*)+)\],\s*group:", path.read_text())
    ]
    router = (ROOT / "frontend" / "src" / "app" / "router.ts").read_text()
    listed += [f"'g {key}'" for key in re.findall(r"\bkey: '([^']+)'", router)]
    registered = {SIGNS.get(key, key) for keys in listed for key in re.findall(r"'([^']+)'", keys)}
    tables = (ROOT / "docs" / "reference" / "shortcuts.md").read_text().split("## With a chart")[0]
    rows = re.findall(r"^\| (`.+`) \|", tables, re.MULTILINE)
    assert {key for row in rows for key in re.findall(r"`([^`]+)`", row)} == registered
