"""Programs that import MindSpore on this core: `alias.install()` and `python -m framework run`."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import framework
from framework import alias
from framework.compat.paths import NAMES


@pytest.fixture
def _installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


@pytest.mark.usefixtures("_installed")
def test_paths_are_the_same_modules() -> None:
    import mindspore  # type: ignore[import-not-found]
    import mindspore.dataset.vision  # type: ignore[import-not-found]
    from mindspore.nn.layer.embedding import Embedding  # type: ignore[import-not-found]
    from mindspore.train.serialization import export  # type: ignore[import-not-found]

    assert mindspore is framework
    assert mindspore.__version__ == "2.10.0"
    assert (mindspore.__spec__.name, mindspore.numpy.__spec__.name) == ("framework", "framework.numpy")
    assert sys.modules["mindspore.dataset.vision"] is framework.dataset.vision
    assert (Embedding, export) == (framework.nn.Embedding, framework.export)
    for path, names in NAMES.items():
        module = importlib.import_module(f"mindspore.{path}")
        for entry in names:
            assert hasattr(module, entry.rpartition(".")[2].rpartition(" as ")[2]), (path, entry)


@pytest.mark.usefixtures("_installed")
def test_functions_keep_their_names_beside_modules() -> None:
    from mindspore.ops.function.grad import value_and_grad  # type: ignore[import-not-found]
    from mindspore.ops.functional import grad

    assert float(grad(lambda x: x * x)(framework.Tensor(3.0))) == 6.0
    assert callable(value_and_grad)


@pytest.mark.usefixtures("_installed")
def test_missing_names_say_why() -> None:
    with pytest.raises(ImportError, match=r"mindspore\.ops\.MapUniform is not there: it is of Ascend devices"):
        from mindspore.ops import MapUniform  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(ImportError, match=r"mindspore\.context\.nope is not there: MindSpore 2\.10 has no such name"):
        from mindspore.context import nope  # type: ignore[import-not-found]  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"'mindspore\._c_expression': it is MindSpore's own core in C\+\+"):
        importlib.import_module("mindspore._c_expression")
    with pytest.raises(AttributeError, match=r"mindspore\.ops\.nope is not there"):
        framework.ops.nope  # noqa: B018
    assert not hasattr(framework.nn, "nope")


def test_nothing_stays_and_mindspore_itself_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    alias.install()
    alias.install()
    alias.uninstall()
    alias.uninstall()
    assert not [name for name in sys.modules if name.partition(".")[0] == "mindspore"]
    with pytest.raises(AttributeError, match=r"^module 'framework.nn' has no attribute"):
        framework.nn.nope  # noqa: B018
    monkeypatch.setitem(sys.modules, "mindspore", types.ModuleType("mindspore"))
    with pytest.raises(ImportError, match="MindSpore is imported already"):
        alias.install()
    assert not alias.is_installed()


PROGRAM = """
import sys
import beside
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def construct(self, x):
        return x * beside.FACTOR

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
ms.set_context(device_target="Ascend")
print(sys.argv[1:], __name__, ms.get_context("device_target"), Net()(ms.Tensor([1.0, 2.0])))
if "fail" in sys.argv:
    raise ValueError("on purpose")
sys.exit(7)
"""


def test_the_command_runs_programs(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("FACTOR = 3\n")
    (tmp_path / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "framework", "run", str(tmp_path / "train.py")]
    run = subprocess.run([*command, "fail"], capture_output=True, text=True, check=False)
    assert run.stdout == "['fail'] __main__ CPU [3. 6.]\n"
    assert run.stderr.count("device_target='Ascend': the CPU computes instead") == 1
    assert run.returncode == 1
    shown = run.stderr[run.stderr.index("Traceback") :].splitlines()
    assert "train.py" in shown[1]
    assert shown[-1] == "ValueError: on purpose"


def test_the_command_ends_as_python_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from framework.__main__ import main

    (tmp_path / "ends.py").write_text("import sys\nimport mindspore\nsys.exit(len(sys.argv))\n")
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    try:
        for arguments, code in [
            (["run", str(tmp_path / "ends.py"), "a", "b"], 3),
            (["run", str(tmp_path / "missing.py")], 2),
            (["walk"], 2),
        ]:
            with pytest.raises(SystemExit) as ended:
                main(arguments)
            assert ended.value.code == code
        main(["--help"])
    finally:
        alias.uninstall()
    shown = capsys.readouterr()
    assert "can't open file" in shown.err
    assert shown.out.startswith("usage: python -m framework run PROGRAM")


def test_the_program_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "mindspore-programs.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    try:
        exec(compile(program, "mindspore-programs.md", "exec"), {})  # noqa: S102 - our own page
    finally:
        alias.uninstall()
    assert capsys.readouterr().out == "2.10.0 [1 3 5]\n"
