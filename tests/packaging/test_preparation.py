"""What the Makefile's scripts do, and what they say where the machine lacks something."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .checkout import ROOT

sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT))

import prepare

from frontend import Frontend, NodeMissingError, find_npm
from hatch_build import WheelBuildHook
from summaries.kernel.compiling import CompiledPart

pytestmark = pytest.mark.smoke


@pytest.fixture
def tiny(tmp_path: Path) -> Frontend:
    """A front end of two files, never built."""
    frontend = Frontend(tmp_path)
    (frontend.sources / "src").mkdir(parents=True)
    (frontend.sources / "src" / "main.ts").write_text("export {}")
    (frontend.sources / "package-lock.json").write_text("{}")
    (frontend.sources / "package.json").write_text("{}")
    return frontend


@pytest.fixture
def npm_that_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fake programs that record their arguments; returns the record."""
    programs, note = tmp_path / "bin", tmp_path / "asked"
    programs.mkdir()
    _program(programs / "node", "echo v22.1.0")
    _program(
        programs / "npm",
        f'echo "$1" >>"{note}"; mkdir -p node_modules ../mindinsight/static/dist',
    )
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return note


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_pages_are_built_once_and_again_when_a_source_changes(tiny: Frontend, npm_that_succeeds: Path) -> None:
    assert not tiny.is_built()
    tiny.build()
    assert tiny.is_built()
    (tiny.sources / "src" / "main.ts").write_text("export const changed = 1")
    assert not tiny.is_built()
    tiny.build()
    assert tiny.is_built()
    assert npm_that_succeeds.read_text().split() == ["ci", "run", "run"]


def test_packages_are_installed_again_when_the_lock_file_changes(tiny: Frontend, npm_that_succeeds: Path) -> None:
    tiny.build()
    (tiny.sources / "package-lock.json").write_text('{"lockfileVersion": 3}')
    assert not tiny.has_packages()
    tiny.build()
    assert npm_that_succeeds.read_text().split() == ["ci", "run", "ci", "run"]


def test_missing_node_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeMissingError, match=r"^Node.js .* no `node` on PATH: install it"):
        find_npm()


def test_missing_npm_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _program(tmp_path / "node", "echo v22.1.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeMissingError, match=r"^npm is needed .* install it"):
        find_npm()


def test_a_node_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _program(tmp_path / "node", "echo v18.19.0")
    _program(tmp_path / "npm", "true")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeMissingError, match=r"`node` on PATH is v18.19.0: install a newer one"):
        find_npm()


def test_a_wheel_without_npm_says_what_to_do(tiny: Frontend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="MINDINSIGHT_SKIP_FRONTEND=1"):
        _build_hook(tmp_path).initialize("standard", {})


@pytest.mark.parametrize(("version", "skip"), [("editable", "0"), ("standard", "1")])
def test_no_pages_are_built_where_none_are_wanted(
    version: str, skip: str, tiny: Frontend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MINDINSIGHT_SKIP_FRONTEND", skip)
    _build_hook(tmp_path).initialize(version, {"artifacts": []})
    assert not tiny.is_built()


def _build_hook(root: Path) -> WheelBuildHook:
    return WheelBuildHook(str(root), {}, None, None, str(root), "wheel")  # type: ignore[arg-type]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a C compiler, whose Python records its arguments and fails; returns the record."""
    note = tmp_path / "asked"
    _program(tmp_path / "python", f'echo "$*" >>"{note}"; exit 1')
    monkeypatch.setattr(prepare, "VENV", tmp_path)
    monkeypatch.setattr(prepare, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(CompiledPart, "target", tmp_path / "_none.so")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    return note


def test_a_compiler_is_installed_where_there_is_none_and_failing_is_no_end(bare: Path) -> None:
    install, compile_parts = prepare.compiled_parts()
    assert not install.is_done()
    install.make()
    assert prepare.ZIGLANG in bare.read_text()
    assert not install.is_done()
    compile_parts.make()
    asked = bare.read_text().splitlines()[1:]
    packages = (
        "summaries",
        *(f"mindinsight.{name}" for name in ("store", "scalars", "graphs.substructures", "profiles")),
    )
    builds = (
        *("debugging/tensors/kernel/build.py", "framework/dataset/vision/kernel/compiled.py"),
        *("framework/kernels/loops/build.py", "framework/pynative/fast/kernel/build.py"),
    )
    by_path = [prepare.ROOT / build for build in builds]
    assert asked == [*(f"-m {package}.kernel.build" for package in packages), *map(str, by_path)]


def test_a_compiler_is_installed_once(bare: Path) -> None:
    _program(bare.with_name("python"), "exit 0")
    install, _ = prepare.compiled_parts()
    install.make()
    assert install.is_done()


def test_no_compiler_is_installed_where_there_is_one(bare: Path) -> None:
    _program(bare.with_name("cc"), "exit 0")
    install, compile_parts = prepare.compiled_parts()
    assert install.is_done()
    assert not compile_parts.is_done()


def test_what_is_to_be_done_is_known_before_any_package_is_installed() -> None:
    code = "import prepare; print(*(step.doing for step in prepare.steps('test')), sep='\\n')"
    bare = [sys.executable, "-S", "-c", code]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tools")}
    listed = subprocess.run(bare, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert "Compiling the parts in C" in listed.stdout.splitlines(), listed.stderr


def test_a_machine_without_python_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    result = subprocess.run(
        ["/bin/sh", "tools/prepare.sh", "run"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert re.match(r"Python 3\.11, 3\.12 or 3\.13 is needed .* install it", result.stderr)
    assert result.stderr.count("\n") == 1


def test_make_alone_lists_every_target() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    listed = subprocess.run(["make"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    targets = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[0]
    assert [line.split()[1] for line in listed.stdout.splitlines()] == targets.split()
