"""Write ONNX's own test cases into a folder, for the tests that read `CASES_ONNX_NODES`.

Run it in an environment that has the package `onnx`: `python tools/onnx_node_cases.py FOLDER`. Each case becomes
`FOLDER/KIND/NAME/`: `model.onnx`, and for each set of data `test_data_set_N/input_K.pb` and `output_K.pb`.
"""

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

#: Kinds of cases whose models the package holds; it would download those of the other kinds.
STORED = ("simple", "pytorch-operator", "pytorch-converted")


def main(arguments: list[str]) -> int:
    """Write the cases; returns the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python tools/onnx_node_cases.py FOLDER\n")
        return 2
    try:
        import onnx.backend.test
        from onnx.backend.test.loader import load_model_tests
    except ImportError:
        sys.stderr.write("onnx_node_cases needs the package onnx: pip install onnx, in an environment of its own\n")
        return 1
    folder = Path(arguments[0])
    data = Path(onnx.backend.test.__file__).parent / "data"
    for kind in STORED:
        shutil.copytree(data / kind, folder / kind, dirs_exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Cases of integers wrap around on purpose.
        cases = load_model_tests(kind="node")
    for case in cases:
        _write(case, folder / "node" / case.name)
    print(f"{len(cases)} cases of operators are in {folder / 'node'}")
    return 0


def _write(case: Any, target: Path) -> None:
    """One case of an operator, with the tolerances that it asks for."""
    import numpy as np
    from onnx import numpy_helper

    def message(value: Any, type_: Any) -> Any:
        if hasattr(value, "SerializeToString"):
            return value
        if isinstance(value, dict):
            return numpy_helper.from_dict(value)
        if type_.HasField("optional_type"):
            return numpy_helper.from_optional(value)
        if isinstance(value, list | tuple):
            return numpy_helper.from_list(list(value))
        return numpy_helper.from_array(np.asarray(value))

    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        folder = target / f"test_data_set_{number}"
        folder.mkdir(parents=True, exist_ok=True)
        for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for place, (value, info) in enumerate(zip(values, infos, strict=False)):
                (folder / f"{kind}_{place}.pb").write_bytes(message(value, info.type).SerializeToString())
    (target / "model.onnx").write_bytes(case.model.SerializeToString())
    (target / "case.json").write_text(json.dumps({"rtol": case.rtol, "atol": case.atol}), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
