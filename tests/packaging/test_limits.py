"""What `make lint` says of code that grows too large; measured on small modules that are over one limit each."""

from __future__ import annotations

import ast
from pathlib import Path, PurePosixPath

import pytest

from tools import limits

FUNCTION = "def ways(x: int) -> int:\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(15))


def trees(**sources: str) -> dict[PurePosixPath, ast.Module]:
    """Parses modules; a name such as `framework__ad__rules` is `framework/ad/rules.py`."""
    return {PurePosixPath(name.replace("__", "/") + ".py"): ast.parse(text) for name, text in sources.items()}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of the checkout."""
    monkeypatch.setattr(limits, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "most"), [("ad.py", 500), ("walk.c", 700), ("tests/test_ad.py", 700)])
def test_a_file_may_have_so_many_lines_and_not_one_more(checkout: Path, name: str, most: int) -> None:
    (checkout / "tests").mkdir()
    path = PurePosixPath(name)
    (checkout / name).write_text("\n" * most)
    assert list(limits.long_files([path])) == []
    (checkout / name).write_text("\n" * (most + 1))
    assert list(limits.long_files([path])) == [limits.Excess(name, "lines", most + 1, most)]


def test_a_function_with_sixteen_ways_through_it_is_too_complex(checkout: Path) -> None:
    (checkout / "few.py").write_text(FUNCTION.rsplit("    if", 1)[0])
    (checkout / "many.py").write_text(FUNCTION)
    found = list(limits.large_functions([PurePosixPath("few.py"), PurePosixPath("many.py")]))
    assert found == [limits.Excess("many.py::ways", "complexity", 16, 15)]


def test_a_docstring_does_not_make_a_function_long(checkout: Path) -> None:
    text = '"""' + "Says much.\n" * 80 + '"""'
    (checkout / "said.py").write_text(f"def said() -> None:\n    {text}\n")
    (checkout / "done.py").write_text("def done() -> None:\n" + "    print()\n" * 50)
    found = list(limits.large_functions([PurePosixPath("said.py"), PurePosixPath("done.py")]))
    assert found == [limits.Excess("done.py::done", "lines", 51, 50)]


def test_public_faces_do_not_fill_a_folder() -> None:
    own = {f"framework__ops__family{n}": "x = 1" for n in range(16)}
    face = '"""Old path."""\nfrom framework.ops.family0 import x\n\n__all__ = ["x"]\n'
    assert list(limits.full_folders(trees(**own, framework__ops__face=face, framework__ops____init__="y = 1"))) == []
    (excess,) = limits.full_folders(trees(**own, framework__ops__more="z = 1"))
    assert excess == limits.Excess("framework/ops", "modules", 17, 16)


def test_a_name_stands_for_at_most_two_modules_of_the_core() -> None:
    twice = trees(framework__ad__values="x = 1", framework__ir__values="x = 1", mindinsight__runs__values="x = 1")
    assert list(limits.repeated_names(twice)) == []
    (excess,) = limits.repeated_names({**twice, **trees(framework__opt__values="x = 1")})
    assert (excess.place, excess.value) == ("framework/**/values.py", 3)


def test_only_the_bare_word_any_counts() -> None:
    text = "def f(a: Any, b: list[Any], *c: typing.Any, d: int = 0) -> None:\n    e: Any = a"
    assert limits.any_shares(trees(framework__ad__rules=text)) == {"framework": (3, 6), "framework/ad": (3, 6)}


def test_an_allowance_only_shrinks() -> None:
    excess = limits.Excess("framework/ad.py", "lines", 620, 500)
    key = "framework/ad.py lines"
    assert limits.judge([excess], {key: 620}, is_whole=True) == []
    assert limits.judge([excess], {key: 610}, is_whole=True) == ["framework/ad.py: lines 620, at most 500"]
    (sentence,) = limits.judge([excess], {key: 700}, is_whole=True)
    assert "lower the allowance" in sentence
    (sentence,) = limits.judge([], {key: 620}, is_whole=True)
    assert "within the limit" in sentence
    assert limits.judge([], {key: 620}, is_whole=False) == []
