"""Writes small dumps in the formats of MindSpore 2.10 and msprobe, with numbers that numpy computed.

The network of both iterations: log(softmax(x @ w)), its sum, negated. The inputs of iteration 1 are 1,000 times larger,
so its softmax has zeros and `Log` makes minus infinities.
"""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from summaries.schema.anf_ir_pb2 import DT_TENSOR, ModelProto

__all__ = ["LOG", "NEG", "SOFTMAX", "SUM", "outputs", "write_mindspore", "write_msprobe", "write_torch"]

SCOPE = "Default/network-Net/"
MATMUL, SOFTMAX, LOG = f"{SCOPE}fc-Dense/MatMul-op0", f"{SCOPE}softmax-Softmax/Softmax-op0", f"{SCOPE}Log-op0"
SUM, COUNT, NEG = "Expand/_SumExt/ReduceSum-op0", "Expand/_SumExt/ReduceSum-op1", f"{SCOPE}Neg-op0"
UPDATE = "Default/optimizer-Momentum/ApplyMomentum-op0"
STACK = b"      # In file /home/user/net.py:22, 35~91/    def construct(self, x): return self.log(x)/\n"

X = np.array([[1, 2], [3, -1]], np.float32)
W = np.array([[1, -1], [0.5, 2]], np.float32)


def outputs(iteration: int) -> dict[str, np.ndarray[Any, Any]]:
    """The outputs of the nodes, and the parameters after the step."""
    x = X * (1000 if iteration else 1)
    product = x @ W
    shifted = np.exp(product - product.max(1, keepdims=True))
    softmax = shifted / shifted.sum(1, keepdims=True)
    with np.errstate(divide="ignore"):
        log = np.log(softmax)
    total = log.sum(dtype=np.float32)
    return {
        MATMUL: product, SOFTMAX: softmax, LOG: log, SUM: total, COUNT: np.float32(softmax.sum()), NEG: -total,
        UPDATE: W, "inputs0": x, "fc.weight": W - np.float32(iteration), "moments.fc.weight": np.zeros_like(W),
        "learning_rate": np.float32(0.1),
    }  # fmt: skip


NODES: list[tuple[str, str, list[str]]] = [
    ("Load", "Default/Load-op0", ["fc.weight", "cst1"]), ("MatMul", MATMUL, ["inputs0", "1"]),
    ("Softmax", SOFTMAX, ["2"]), ("Log", LOG, ["3"]), ("ReduceSum", SUM, ["4"]), ("Neg", NEG, ["5"]),
    ("UpdateState", "Default/UpdateState-op0", ["cst1", "1"]), ("ReduceSum", COUNT, ["3"]),
    ("ApplyMomentum", UPDATE, ["fc.weight", "moments.fc.weight", "learning_rate", "2", "7"]),
    ("MakeTuple", "Default/MakeTuple-op0", ["6"]),
]  # fmt: skip
PARAMETERS = ["inputs0", "fc.weight", "moments.fc.weight", "learning_rate"]
ORDER = [MATMUL, SOFTMAX, COUNT, LOG, SUM, NEG, UPDATE]


def program() -> bytes:
    """The graph as MindSpore writes it."""
    model = ModelProto()
    graph = model.graph
    graph.name = "kernel_graph_0"
    for name in PARAMETERS:
        parameter = graph.parameters.add(name=name)
        parameter.type.data_type = DT_TENSOR
        for size in () if name == "learning_rate" else (2, 2):
            parameter.type.tensor_type.shape.dim.add(size=size)
    graph.const_vals.add(key="cst1")
    for number, (kind, full_name, inputs) in enumerate(NODES, start=1):
        node = graph.node.add(name=str(number), op_type=kind, full_name=full_name)
        if kind == "Log":
            node.source_address.append(STACK)
        for name in inputs:
            node.input.add(name=name)
    graph.outputs.add(name="10")
    return model.SerializeToString()


def write_mindspore(
    root: Path, *, ranks: tuple[int, ...] = (0,), with_inputs: bool = True, renumber: bool = False
) -> Path:
    """Write a dump of two iterations.

    Args:
        root: A new folder.
        ranks: Numbers of ranks.
        with_inputs: Whether inputs of operators are dumped too.
        renumber: Whether files number the two `ReduceSum` the other way round, as MindSpore 2.10 does.
    """
    for rank in ranks:
        folder = root / f"rank_{rank}"
        for name in (".dump_metadata", "graphs", "execution_order"):
            (folder / name).mkdir(parents=True)
        (folder / ".dump_metadata/config.json").write_text('{"device_target":"CPU","ms_version":"2.10.0"}')
        settings = {"common_dump_settings": {"iteration": "0-1"}}
        (folder / ".dump_metadata/data_dump.json").write_text(json.dumps(settings))
        (folder / "graphs/ms_output_trace_code_graph_0.pb").write_bytes(program())
        order = "\n".join(["NodeExecutionOrder-FullNameWithScope", *ORDER])
        (folder / "execution_order/ms_execution_order_graph_0.csv").write_text(order + "\n")
        (folder / "execution_order/ms_global_execution_order_graph_0.csv").write_text("0\n1\n")
        for iteration in (0, 1):
            place = folder / f"net/0/{iteration}"
            place.mkdir(parents=True)
            _write_iteration(place, iteration, with_inputs, renumber)
    return root


def _write_iteration(place: Path, iteration: int, with_inputs: bool, renumber: bool) -> None:
    made, time = outputs(iteration), 1795524607291974
    types = {full_name: kind for kind, full_name, _ in NODES}
    reads = {full_name: inputs for _, full_name, inputs in NODES}
    full_names = {str(number): full_name for number, (_, full_name, _) in enumerate(NODES, start=1)}
    for name in (*ORDER, *PARAMETERS):
        spelled = {SUM: COUNT, COUNT: SUM}.get(name, name) if renumber else name
        stem = f"{types.get(name, 'Parameter')}.{spelled.replace('/', '_').replace('.', '_')}.0.0"
        for slot, read in enumerate(reads.get(name, ())) if with_inputs else ():
            source = {"1": "fc.weight"}.get(read, full_names.get(read, read))
            if source in made:
                time += 100
                value = outputs(0)[source] if source == "fc.weight" else made[source]
                np.save(place / f"{stem}.{time}.input.{slot}.DefaultFormat.Float32.npy", value)
        time += 100
        np.save(place / f"{stem}.{time}.output.0.DefaultFormat.Float32.npy", made[name])


def write_torch(path: Path, array: np.ndarray[Any, Any], call: str = "torch._utils\n_rebuild_tensor_v2") -> None:
    """Write an array as `torch.save` does; another `call` makes the pickle hostile."""
    strides = tuple(step // array.itemsize for step in array.strides)
    persistent = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\n" + _text("0") + _text("cpu")
    persistent += b"J" + array.size.to_bytes(4, "little") + b"tQ"
    fields = b"K\x00" + pickle.dumps(array.shape, 2)[2:-1] + pickle.dumps(strides, 2)[2:-1] + b"\x89"
    data = b"\x80\x02c" + call.encode() + b"\n(" + persistent + fields + b"ccollections\nOrderedDict\n)RtR."
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", data)
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/data/0", np.ascontiguousarray(array).tobytes())


def _text(text: str) -> bytes:
    return b"X" + len(text).to_bytes(4, "little") + text.encode()


def write_msprobe(root: Path, *, factor: float = 1) -> Path:
    """Write a dump of one step: softmax and log as functions, within a module."""
    folder = root / "step0/rank0"
    (folder / "dump_tensor_data").mkdir(parents=True)
    made = outputs(1 if factor > 1 else 0)
    calls = {
        "Functional.softmax.0.forward": (made[MATMUL], made[SOFTMAX]),
        "Torch.log.0.forward": (made[SOFTMAX], made[LOG]),
        "Module.net.Net.forward.0": (made[MATMUL], made[LOG]),
    }  # fmt: skip
    data: dict[str, Any] = {}
    for name, (read, result) in calls.items():
        data[name] = {"input_args": [_told(folder, name, "input", read), None], "input_kwargs": {},
                      "output": [_told(folder, name, "output", result)]}  # fmt: skip
    head = {"task": "tensor", "level": "mix", "framework": "pytorch", "dump_data_dir": "", "data": data}
    (folder / "dump.json").write_text(json.dumps(head))
    (folder / "construct.json").write_text(json.dumps(dict.fromkeys(calls)))
    frames = ["File /home/user/net.py, line 6, in forward, \n return x.log()"]
    (folder / "stack.json").write_text(json.dumps({"0": [list(calls), frames]}))
    return root


def _told(folder: Path, name: str, io: str, array: np.ndarray[Any, Any]) -> dict[str, Any]:
    file = f"{name}.{io}.0.pt"
    write_torch(folder / "dump_tensor_data" / file, array)
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(array.shape), "Max": float(array.max()),
            "Min": float(array.min()), "Mean": float(array.mean()), "Norm": 1.0, "data_name": file}  # fmt: skip
