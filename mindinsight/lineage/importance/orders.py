"""The input of the computing process: arrays in a file. Written by the web server, read by `__main__.py`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """A parameter of numbers: (runs,) values; NaN if a run has none."""

    name: str
    values: Floats


@dataclass(frozen=True)
class Categories:
    """A parameter of categories: (runs,) codes; k if a run has `values[k]`, -1 if it has none."""

    name: str
    codes: npt.NDArray[np.int32]
    values: Sequence[object]


@dataclass(frozen=True)
class Order:
    """The input of one study.

    Attributes:
        kind: `importance` or `gap`.
        target: (runs,) in the form for `study.question`.
        parameters: parameters of the runs.
        runs: (runs,) numbers of the runs, for the results.
        run: index of the run whose gap is explained.
        better: `min` or `max`: whether the lowest or the highest target is the best.
    """

    kind: str
    target: Floats
    parameters: Sequence[Numbers | Categories]
    runs: npt.NDArray[np.int64]
    run: int | None = None
    better: str = "max"

    def digest(self) -> str:
        """Returns a hash that changes whenever the answer could change."""
        known = hashlib.blake2b(repr((self.kind, self.run, self.better)).encode(), digest_size=16)
        known.update(self.target.tobytes())
        if self.kind == "gap":
            known.update(self.runs.tobytes())
        for parameter in self.parameters:
            known.update(parameter.name.encode("utf-8", "surrogatepass"))
            if isinstance(parameter, Numbers):
                known.update(parameter.values.tobytes())
            else:
                known.update(repr(parameter.values).encode("utf-8", "surrogatepass"))
                known.update(parameter.codes.tobytes())
        return known.hexdigest()

    def write(self, path: Path) -> None:
        """Writes a file atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {"target": self.target, "runs": self.runs}
        heads: list[dict[str, object]] = []
        for at, parameter in enumerate(self.parameters):
            if isinstance(parameter, Numbers):
                arrays[f"p{at}"] = parameter.values
                heads.append({"name": parameter.name})
            else:
                arrays[f"p{at}"] = parameter.codes
                heads.append({"name": parameter.name, "values": list(parameter.values)})
        head = {"kind": self.kind, "run": self.run, "better": self.better, "parameters": heads}
        making = path.with_name(f".{path.name}.{os.getpid()}")
        with making.open("wb") as file:
            np.savez(file, head=np.frombuffer(orjson.dumps(head), np.uint8), **arrays)
        making.replace(path)


def read_order(path: Path) -> Order:
    """Reads an order.

    Raises:
        OSError: the file does not exist.
    """
    with np.load(path, allow_pickle=False) as file:
        head = orjson.loads(file["head"].tobytes())
        parameters: list[Numbers | Categories] = [
            Categories(parameter["name"], file[f"p{at}"], parameter["values"])
            if "values" in parameter
            else Numbers(parameter["name"], file[f"p{at}"])
            for at, parameter in enumerate(head["parameters"])
        ]
        return Order(head["kind"], file["target"], parameters, file["runs"], head["run"], head["better"])
