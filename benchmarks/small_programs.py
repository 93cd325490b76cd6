"""Small programs of Python's builtins, operators and methods, in MindSpore where it is installed beside.

`python benchmarks/small_programs.py PYTHON [COUNT]` prints each program for which MindSpore gives something
else than Python and numpy, and the counts. The tests hold our two modes to Python and numpy, so
this shows whether they may. The other Python runs this file, too; so what only we have is imported in `main`.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

X = [[0.5, -1.5, 2.0], [3.25, 0.0, -0.75]]
N = [[1, 2, 3], [0, -1, 2]]
NUMBER = 3


def plain(value: Any) -> Any:
    """A result as JSON can hold it: a tensor is its nested list."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if hasattr(value, "asnumpy"):
        return value.asnumpy().tolist()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def results_in_mindspore(folder: Path) -> list[dict[str, Any]]:
    """What each program of a folder gives in both modes of MindSpore, or the first line of its error."""
    import mindspore as ms  # type: ignore[import-not-found]

    sys.path.insert(0, str(folder))
    results: list[dict[str, Any]] = []
    for file in sorted(folder.glob("*.py")):
        module = importlib.import_module(file.stem)
        result = {}
        for mode, function in (("pynative", module.program), ("graph", ms.jit(module.program))):
            try:
                given = ms.Tensor(np.array(X)), ms.Tensor(np.array(N, np.int32))
                result[mode] = plain(function(*given, NUMBER))
            except Exception as error:
                result[mode] = {"error": f"{type(error).__name__}: {str(error).strip()[:150]}"}
        results.append(result)
    return results


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal; numbers to a millionth."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return bool(np.isclose(one, other, rtol=1e-6, atol=1e-7))
    return bool(one == other)


def main(python: str, count: int) -> None:
    """Makes programs, runs them in both, and prints where MindSpore gives something else than Python."""
    from hypothesis import Phase, given, settings

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests.framework.small_programs import meaning, programs

    wanted: list[tuple[str, Any]] = []

    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate])
    @given(programs())
    def collect(source: str) -> None:
        try:
            wanted.append((source, plain(meaning(source, np.array(X), np.array(N, np.int32), NUMBER))))
        except Exception:
            return

    collect()
    begin = "import operator\nfrom functools import reduce\nimport mindspore as ms\nfrom mindspore import ops\n"
    begin += "kind = ms.float64\n"
    with tempfile.TemporaryDirectory() as folder:
        for number, (source, _) in enumerate(wanted):
            (Path(folder) / f"program{number:05}.py").write_text(begin + source)
        ran = subprocess.run([python, __file__, folder], capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout.rsplit("\n", 2)[-2])
    counts = {"equal": 0, "different": 0, "refused": 0}
    for (source, expected), result in zip(wanted, found, strict=True):
        for mode, given_by_mindspore in result.items():
            refused = isinstance(given_by_mindspore, dict) and "error" in given_by_mindspore
            what = "refused" if refused else "equal" if same(given_by_mindspore, expected) else "different"
            counts[what] += 1
            if what != "equal":
                print(f"--- {what} in {mode}:", source.split("def program(x, n, m):")[1].rstrip())
                print(f"    Python:    {expected}\n    MindSpore: {given_by_mindspore}")
    print(counts)


if __name__ == "__main__":
    if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir():
        print(json.dumps(results_in_mindspore(Path(sys.argv[1]))))
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
