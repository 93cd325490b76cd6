"""Other people's programs: the contents of a checkout, the names that it uses, and the reasons for failures."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.foreign.causes import Cause, Outcome, cause_of, reason_of
from benchmarks.foreign.checkouts import Checkout
from benchmarks.foreign.directories import names_in
from benchmarks.foreign.families import families_of, smallest
from benchmarks.foreign.isolation import Limits, run_worker
from benchmarks.foreign.pages import blocks_of, page_outcomes
from benchmarks.foreign.tables import counts, ranked

MODEL = """
import mindspore as ms
import mindspore.nn as nn
from mindspore.ops import operations as P
from mindspore.train.serialization import load_checkpoint as load
from . import mine

net = nn.Dense(2, 3)
load("a", P.ReLU.name, ms.common.dtype, mine.nn.Conv2d)
"""


def test_names_are_followed_through_what_was_imported() -> None:
    assert names_in(MODEL) == {
        "mindspore",
        "mindspore.nn",
        "mindspore.nn.Dense",
        "mindspore.ops",
        "mindspore.ops.operations",
        "mindspore.ops.operations.ReLU",
        "mindspore.ops.operations.ReLU.name",
        "mindspore.train.serialization",
        "mindspore.train.serialization.load_checkpoint",
        "mindspore.common",
        "mindspore.common.dtype",
    }
    assert names_in("print 'Python 2'") == set()


@pytest.mark.parametrize(
    ("types", "text", "cause"),
    [
        (["AttributeError"], "mindspore.ops.X is not there: ...", Cause.MISSING),
        (["TypeError"], "f() got an unexpected keyword argument 'x'", Cause.MISSING),
        (["ModuleNotFoundError", "ImportError"], "No module named 'gensim'", Cause.OUTSIDE),
        (["ModuleNotFoundError", "ImportError"], "No module named 'framework.mint'", Cause.MISSING),
        (["ModuleNotFoundError", "ImportError"], "No module named 'mindspore._extends'", Cause.OUTSIDE),
        (["UnsupportedSyntaxError", "GraphError"], "graph mode does not support with", Cause.GRAPH),
        (["AssertionError"], "assert 1 == 2", Cause.DIFFERENT),
        (["Failed"], "DID NOT RAISE <class 'TypeError'>", Cause.NOT_RAISED),
        (["TimeoutError"], "a block takes too long", Cause.SLOW),
        (["ValueError"], "axis 3", Cause.REFUSED),
    ],
)
def test_a_cause_is_told_by_the_error(types: list[str], text: str, cause: Cause) -> None:
    assert cause_of({"types": types, "text": text, "at": ""}) is cause


def test_reasons_are_the_same_for_all_cases_with_them() -> None:
    texts = ["no <X object at 0x7f01> in /tmp/a1/b/c.py\nmore", "no <X object at 0x7fff> in /tmp/z/y/c.py"]
    assert len({reason_of({"types": ["ValueError"], "text": text}) for text in texts}) == 1


def test_the_smallest_model_of_a_family_is_chosen() -> None:
    assert smallest(["resnet101", "resnet18", "resnet34"]) == "resnet18"
    assert smallest(["swin_base", "swin_tiny", "swin_small"]) == "swin_tiny"
    assert smallest(["BiT_resnet50x3", "BiT_resnet50", "BiT_resnet101"]) == "BiT_resnet50"
    assert smallest(["mae_b_16_224_pretrain", "mae_l_16_224_finetune"]) == "mae_l_16_224_finetune"


def test_checkouts_are_told_by_what_they_hold(tmp_path: Path) -> None:
    models, zoo, docs, tests = (tmp_path / name for name in ("models", "zoo", "docs", "suite"))
    (models / "m").mkdir(parents=True)
    (models / "m" / "net.py").write_text("@register_model\ndef net_tiny():\n    pass\n\n\ndef other():\n    pass\n")
    for place in ("cv/a/src", "cv/a", "cv/b", "utils"):
        (zoo / place).mkdir(parents=True, exist_ok=True)
        (zoo / place / ("train.py" if place != "utils" else "help.py")).write_text("import mindspore\n")
    (docs / "tutorials" / "source_en").mkdir(parents=True)
    (docs / "tutorials" / "source_en" / "a.md").write_text("```python\nx = 1\n```\n")
    (docs / "tutorials" / "source_en" / "b.md").write_text("no code\n")
    for place in ("ut/python/nn", "ut/python/parallel", "st/ops"):
        (tests / "tests" / place).mkdir(parents=True)
        (tests / "tests" / place / "test_a.py").write_text("def test(): pass\n")
    (tests / "tests" / "st" / "ops" / "test_b.py").write_text("@arg_mark(plat_marks=['cpu_linux'])\ndef test(): pass\n")
    families = families_of(Checkout(models).registered())
    assert {path.stem: names for path, names in families.items()} == {"net": ["net_tiny"]}
    assert [str(path.relative_to(zoo)) for path in Checkout(zoo).model_directories()] == ["cv/a", "cv/b"]
    assert [path.name for path in Checkout(docs).pages()] == ["a.md"]
    found = [str(path.relative_to(tests)) for path in Checkout(tests).tests()]
    assert found == ["tests/st/ops/test_b.py", "tests/ut/python/nn/test_a.py"]


def test_blocks_of_pages(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("text\n```python\n!pip install x\na = 1\n```\n  ```python\n  b = 2\n  ```\n```text\nno\n```\n")
    assert blocks_of(page) == ["pass\na = 1\n", "b = 2\n"]
    notebook = tmp_path / "a.ipynb"
    cells = [{"cell_type": "code", "source": ["c = 3"]}, {"cell_type": "markdown", "source": ["no"]}]
    notebook.write_text(json.dumps({"cells": cells}))
    assert blocks_of(notebook) == ["c = 3"]


def test_blocks_run_in_one_namespace_and_later_ones_inherit_the_cause(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    blocks = [
        "import mindspore as ms\nx = ms.Tensor([2.0])",
        "assert ms.jit(lambda y: y * x)(x).asnumpy() == 4",
        "y = ms.ops.not_an_operator(x)",
        "print(y)",
    ]
    page.write_text("".join(f"```python\n{block}\n```\n" for block in blocks))
    found = page_outcomes("docs", tmp_path, page, Limits(60), None)
    assert [one.cause for one in found] == [Cause.PASSED, Cause.PASSED, Cause.MISSING, Cause.MISSING]
    assert found[3].what == found[2].what
    assert found[2].at.endswith("y = ms.ops.not_an_operator(x)")


def test_what_takes_too_long_is_ended_and_keeps_what_it_told() -> None:
    asked = {"blocks": ["x = 1", "while x: pass"], "seconds": 60, "mode": ""}
    # A Python of its own has no alias, so it starts at once.
    told = run_worker("run_page", asked, Limits(1.5), Path(sys.executable))
    assert [line["block"] for line in told.lines] == [0]
    assert "did not finish" in told.ended


def test_tables_count_by_cause() -> None:
    outcomes = [
        Outcome("blocks", "docs", "a", Cause.PASSED),
        Outcome("blocks", "docs", "b", Cause.MISSING, "a | b"),
        Outcome("blocks", "docs", "c", Cause.OUTSIDE, "network"),
    ]
    assert "| docs | 2 | 1 | 50 | 1 | 0 |" in counts(outcomes)
    assert ranked(outcomes, 5).splitlines()[2:] == ["| 1 | blocks | missing name or argument | a \\| b |"]
