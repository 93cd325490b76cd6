"""Graphs with known repeats: networks in layers, and patterns planted into noise, with all kinds of disturbance.

Called by `substructures.py` and by tests. Everything follows from the seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind, StringTable

Ids = npt.NDArray[np.int64]
OPERATOR, PARAMETER, CONSTANT = NodeKind.OPERATOR, NodeKind.PARAMETER, NodeKind.CONSTANT
_KIND_OF = {"Parameter": PARAMETER, "Constant": CONSTANT}
_SWAPPED = frozenset({"Add", "Mul"})


@dataclass
class Planted:
    """A graph in the making, and what repeats in it.

    Attributes:
        op: operator type of each node.
        scope: scope of each node, as number of `scopes`.
        inputs: sources of each node's inputs, one behind the other; `ptr` says where each node's begin.
        truth: by name, an occurrence in each row.
    """

    op: npt.NDArray[np.int32]
    ptr: Ids
    inputs: Ids
    ops: list[str]
    scope: npt.NDArray[np.int32]
    scopes: list[str]
    truth: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.op)

    def graph(self) -> Graph:
        """Returns it in the form that everything else reads."""
        count = len(self)
        names = [f"n{number}" for number in range(count)]
        strings = StringTable.of(["", *self.ops, *self.scopes, *names])
        first_scope = 1 + len(self.ops)
        first_name = first_scope + len(self.scopes)
        kinds = np.asarray([_KIND_OF.get(op, OPERATOR) for op in self.ops], np.uint8)
        nothing = np.zeros(count, np.int32)
        columns: dict[str, Any] = dict.fromkeys(
            ("full_name", "instance", "type", "attributes", "value", "source"), nothing
        )
        return Graph(
            title="planted",
            kind=kinds[self.op],
            name=np.arange(first_name, first_name + count, dtype=np.int32),
            op=(self.op + 1).astype(np.int32),
            scope=(self.scope + first_scope).astype(np.int32),
            in_ptr=self.ptr,
            in_src=self.inputs.astype(np.int32),
            in_slot=np.zeros(len(self.inputs), np.int32),
            in_kind=np.zeros(len(self.inputs), np.uint8),
            outputs=np.empty(0, np.int32),
            strings=strings,
            **columns,
        )

    def shuffled(self, seed: int) -> Planted:
        """Returns the same with other numbers for all nodes."""
        order = np.random.default_rng(seed).permutation(len(self))
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self))
        sizes = np.diff(self.ptr)[order]
        ptr = np.concatenate([[0], np.cumsum(sizes)])
        edges = np.repeat(self.ptr[:-1][order] - ptr[:-1], sizes) + np.arange(len(self.inputs))
        truth = {name: place[rows] for name, rows in self.truth.items()}
        return replace(
            self, op=self.op[order], scope=self.scope[order], ptr=ptr, inputs=place[self.inputs[edges]], truth=truth
        )

    def swapped(self, share: float, seed: int) -> Planted:
        """Returns it with the two inputs of additions and products swapped in a share of them."""
        chance = np.random.default_rng(seed)
        unordered = np.isin(self.op, [number for number, name in enumerate(self.ops) if name in _SWAPPED])
        nodes = np.flatnonzero(unordered & (np.diff(self.ptr) == 2) & (chance.random(len(self)) < share))
        inputs = self.inputs.copy()
        first = self.ptr[nodes]
        inputs[first], inputs[first + 1] = self.inputs[first + 1], self.inputs[first]
        return replace(self, inputs=inputs)

    def changed(self, name: str, share: float, seed: int) -> Planted:
        """Returns it with one operator of another type in a share of the occurrences."""
        chance = np.random.default_rng(seed)
        rows = self.truth[name]
        op = self.op.copy()
        for row in chance.choice(len(rows), round(share * len(rows)), replace=False):
            operators = [node for node in rows[row] if self.ops[self.op[node]] not in _KIND_OF]
            op[chance.choice(operators)] = len(self.ops)
        return replace(self, op=op, ops=[*self.ops, "Changed"])

    def without_scopes(self) -> Planted:
        """Returns it with no scopes."""
        return replace(self, scope=np.zeros_like(self.scope), scopes=[""])


class _Maker:
    """Adds nodes and whole columns of equal layers."""

    def __init__(self) -> None:
        self.ops: dict[str, int] = {}
        self.scopes: dict[str, int] = {}
        self.op: list[npt.NDArray[np.int32]] = []
        self.scope: list[npt.NDArray[np.int32]] = []
        self.sizes: list[Ids] = []
        self.inputs: list[Ids] = []
        self.count = 0

    def number(self, op: str) -> int:
        return self.ops.setdefault(op, len(self.ops))

    def scope_number(self, scope: str) -> int:
        return self.scopes.setdefault(scope, len(self.scopes))

    def node(self, op: str, inputs: list[int], scope: str = "Default") -> int:
        self.add([self.number(op)], [self.scope_number(scope)], [len(inputs)], inputs)
        return self.count - 1

    def add(self, ops: Any, scopes: Any, sizes: Any, inputs: Any) -> None:
        self.op.append(np.asarray(ops, np.int32))
        self.scope.append(np.asarray(scopes, np.int32))
        self.sizes.append(np.asarray(sizes, np.int64))
        self.inputs.append(np.asarray(inputs, np.int64))
        self.count += len(self.op[-1])

    def chain(self, template: list[tuple[str, list[int], str]], layers: int, start: int, scope: str) -> Ids:
        """Adds equal layers that feed each other; input -1 is the layer before. Returns their nodes, a row each."""
        size = len(template)
        first = self.count
        base = first + size * np.arange(layers)[:, None]
        ops = np.tile([self.number(op) for op, _, _ in template], layers)
        scopes = [
            self.scope_number(f"{scope}/{layer}-Layer{part}") for layer in range(layers) for _, _, part in template
        ]
        sizes = np.tile([len(inputs) for _, inputs, _ in template], layers)
        flat = np.asarray([source for _, inputs, _ in template for source in inputs], np.int64)
        sources = np.where(flat >= 0, base + flat, base - 1)
        sources[0, flat < 0] = start
        self.add(ops, scopes, sizes, sources.ravel())
        return base + np.arange(size)

    def finish(self, truth: dict[str, npt.NDArray[np.int64]]) -> Planted:
        sizes = np.concatenate(self.sizes)
        return Planted(
            op=np.concatenate(self.op),
            ptr=np.concatenate([[0], np.cumsum(sizes)]),
            inputs=np.concatenate(self.inputs),
            ops=list(self.ops),
            scope=np.concatenate(self.scope),
            scopes=list(self.scopes),
            truth=truth,
        )


class _Template:
    """One layer: nodes that name earlier ones by number, and -1 for the layer before."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, list[int], str]] = []

    def __call__(self, op: str, *inputs: int, part: str = "") -> int:
        self.rows.append((op, list(inputs), part))
        return len(self.rows) - 1

    def dense(self, x: int, part: str) -> int:
        weight, bias = self("Parameter", part=part), self("Parameter", part=part)
        product = self("MatMul", x, weight, part=part)
        return self("BiasAdd", product, bias, part=part)

    def norm(self, x: int, part: str) -> int:
        gamma, beta = self("Parameter", part=part), self("Parameter", part=part)
        return self("LayerNorm", x, gamma, beta, part=part)


def encoder_layer() -> list[tuple[str, list[int], str]]:
    """An encoder layer of 49 nodes, normalised after each addition."""
    t = _Template()
    heads = []
    for which in "qkv":
        dense = t.dense(-1, f"/attention/{which}-Dense")
        shaped = t("Reshape", dense, part="/attention")
        heads.append(t("Transpose", shaped, part="/attention"))
    scores = t("BatchMatMul", heads[0], heads[1], part="/attention")
    scale = t("Constant", part="/attention")
    scaled = t("Mul", scores, scale, part="/attention")
    weights = t("Softmax", scaled, part="/attention")
    mixed = t("BatchMatMul", weights, heads[2], part="/attention")
    turned = t("Transpose", mixed, part="/attention")
    shaped = t("Reshape", turned, part="/attention")
    out = t.dense(shaped, "/attention/out-Dense")
    out = t("Dropout", out, part="/attention")
    added = t("Add", -1, out)
    normed = t.norm(added, "/ln1-LayerNorm")
    wide = t.dense(normed, "/up-Dense")
    wide = t("GeLU", wide, part="/gelu")
    narrow = t.dense(wide, "/down-Dense")
    narrow = t("Dropout", narrow)
    added = t("Add", normed, narrow)
    t.norm(added, "/ln2-LayerNorm")
    return t.rows


def transformer(layers: int) -> Planted:
    """Encoder layers in a row between an embedding and a head."""
    m = _Maker()
    table, ids = m.node("Parameter", []), m.node("Parameter", [])
    x = m.node("Gather", [table, ids], "Default/embedding")
    position = m.node("Parameter", [])
    x = m.node("Add", [x, position], "Default/embedding")
    gamma, beta = m.node("Parameter", []), m.node("Parameter", [])
    x = m.node("LayerNorm", [x, gamma, beta], "Default/embedding")
    rows = m.chain(encoder_layer(), layers, x, "Default/layers")
    weight = m.node("Parameter", [])
    x = m.node("MatMul", [m.count - 2, weight], "Default/head")
    m.node("Softmax", [x], "Default/head")
    return m.finish({"layer": rows})


def experts(layers: int, width: int) -> Planted:
    """Layers of a mixture of experts."""
    t = _Template()
    normed = t.norm(-1, "/norm")
    gate = t.dense(normed, "/gate-Dense")
    gate = t("Softmax", gate, part="/gate")
    spans, outs = [], []
    for number in range(width):
        part = f"/experts/{number}-Expert"
        first = len(t.rows)
        wide = t.dense(normed, f"{part}/up-Dense")
        wide = t("GeLU", wide, part=part)
        linear = t.dense(normed, f"{part}/gate-Dense")
        both = t("Mul", wide, linear, part=part)
        narrow = t.dense(both, f"{part}/down-Dense")
        picked = t("Slice", gate, part=part)
        outs.append(t("Mul", narrow, picked, part=part))
        spans.append((first, len(t.rows)))
    joined = t("Stack", *outs)
    total = t("ReduceSum", joined)
    t("Add", -1, total)
    m = _Maker()
    table, ids = m.node("Parameter", []), m.node("Parameter", [])
    start = m.node("Gather", [table, ids], "Default/embedding")
    rows = m.chain(t.rows, layers, start, "Default/layers")
    m.node("Softmax", [m.count - 1], "Default/head")
    inner = np.concatenate([rows[:, first:last] for first, last in spans])
    return m.finish({"layer": rows, "expert": inner})


def training(layers: int) -> Planted:
    """A forward chain, its mirror image backward, and one Adam for each parameter."""
    m = _Maker()
    start = m.node("Parameter", [], "Default/network")
    template = encoder_layer()
    rows = m.chain(template, layers, start, "Default/network/layers")
    loss = m.node("Loss", [m.count - 1], "Default/network")
    power = m.node("Parameter", [], "Default/optimizer-Adam")
    rate = m.node("Parameter", [], "Default/optimizer-Adam")
    consumers: dict[int, list[int]] = {}
    for node, (_, inputs, _) in enumerate(template):
        for source in inputs:
            consumers.setdefault(source, []).append(node)
    backward, updates = [], []
    upstream = m.node("LossGrad", [loss], "Gradients/Default/network")
    for layer in reversed(range(layers)):
        scope = f"Gradients/Default/network/layers/{layer}-Layer"
        forward = rows[layer]
        made: list[int] = []
        grads: dict[int, int] = {}
        for node in reversed(range(len(template))):
            op, inputs, _ = template[node]
            if not inputs:
                continue
            if node == len(template) - 1:
                given = upstream
            else:
                given = _joined(m, [grads[place] for place in _uses(template, node)], scope, made)
            value = m.node(f"{op}Grad", [given, int(forward[node])], scope)
            made.append(value)
            for port in range(len(inputs)):
                item = m.node("TupleGetItem", [value], scope)
                made.append(item)
                grads[node * 8 + port] = item
        upstream = _joined(m, [grads[place] for place in _uses(template, -1)], scope, made)
        backward.append(made)
        for node, (op, _, _) in enumerate(template):
            if op == "Parameter":
                moments = [m.node("Parameter", [], "Default/optimizer-Adam") for _ in range(2)]
                grad = grads[_uses(template, node)[0]]
                betas = [m.node("Constant", [], "Default/optimizer-Adam") for _ in range(2)]
                inputs = [int(forward[node]), *moments, power, rate, *betas, grad]
                adam = m.node("Adam", inputs, "Default/optimizer-Adam")
                updates.append([*moments, *betas, adam])
    truth = {"forward": rows, "backward": np.asarray(backward), "adam": np.asarray(updates)}
    return m.finish(truth)


def _uses(template: list[tuple[str, list[int], str]], node: int) -> list[int]:
    """Where a node is an input: consumer and port in one number."""
    return [
        consumer * 8 + port
        for consumer, (_, inputs, _) in enumerate(template)
        for port, source in enumerate(inputs)
        if source == node
    ]


def _joined(m: _Maker, grads: list[int], scope: str, made: list[int]) -> int:
    if len(grads) == 1:
        return grads[0]
    made.append(m.node("AddN", grads, scope))
    return made[-1]


def planted(
    nodes: int, patterns: int, copies: int, size: int, *, labels: int = 60, seed: int = 1, open_share: float = 0.0
) -> Planted:
    """Random patterns in copies, in a random graph of one or two inputs a node.

    Args:
        nodes: of the whole graph.
        patterns, copies, size: how many patterns, how often each, of how many nodes.
        labels: how many operator types there are.
        seed: of all chance.
        open_share: share of the inner nodes that the noise around may read; the others are read inside only.
    """
    chance = np.random.default_rng(seed)
    shapes = [_shape(size, labels, chance) for _ in range(patterns)]
    owner = np.full(nodes, -1, np.int64)
    chosen = chance.permutation(nodes - size)[: patterns * copies * size] + size
    truth: dict[str, npt.NDArray[np.int64]] = {}
    # Each copy lies scattered over a stretch of the graph, its nodes in order.
    slots = _stretches(chosen, patterns * copies, size, chance)
    op = chance.integers(0, labels, nodes).astype(np.int32)
    width = chance.integers(1, 3, nodes)
    readable = np.ones(nodes, np.bool)
    which = chance.permutation(patterns * copies)
    inner: dict[int, list[int]] = {}
    for pattern, (kinds, wires) in enumerate(shapes):
        rows = slots[which[pattern * copies : (pattern + 1) * copies]]
        truth[f"p{pattern}"] = rows
        op[rows] = kinds
        width[rows] = [len(wire) for wire in wires]
        used = np.zeros(size, np.bool)
        for wire in wires:
            for source in wire:
                if source >= 0:
                    used[source] = True
        closed = used & (chance.random(size) >= open_share)
        readable[rows[:, closed]] = False
        owner[rows] = pattern
        for row in rows:
            for place, wire in enumerate(wires):
                inner[int(row[place])] = [int(row[source]) if source >= 0 else -1 for source in wire]
    width[0] = 0
    ptr = np.concatenate([[0], np.cumsum(width)])
    users = np.repeat(np.arange(nodes), width)
    fixed = np.full(len(users), -1, np.int64)
    for node, sources in inner.items():
        fixed[ptr[node] : ptr[node] + len(sources)] = sources
    free = _drawn(users, np.flatnonzero(readable), chance)
    # What a copy reads from outside is noise: if it read itself, it would be no copy.
    inside = owner[users] >= 0
    free[inside] = _drawn(users[inside], np.flatnonzero(owner < 0), chance)
    inputs = np.where(fixed >= 0, fixed, free)
    return Planted(
        op=op,
        ptr=ptr,
        inputs=inputs,
        ops=[f"Op{number}" for number in range(labels)],
        scope=np.zeros(nodes, np.int32),
        scopes=[""],
        truth=truth,
    )


def _drawn(users: Ids, sources: Ids, chance: np.random.Generator) -> Ids:
    """For each user one of the last 3000 of these sources that stand before it."""
    limit = np.searchsorted(sources, users)
    drawn = limit - 1 - (chance.random(len(users)) * np.minimum(limit, 3000)).astype(np.int64)
    return sources[np.maximum(drawn, 0)]


def _shape(size: int, labels: int, chance: np.random.Generator) -> tuple[npt.NDArray[np.int32], list[list[int]]]:
    """A connected pattern: types, and each node's inputs as earlier places or -1 for what comes from outside."""
    kinds = chance.integers(0, labels, size).astype(np.int32)
    wires = []
    for place in range(size):
        width = int(chance.integers(1, 3))
        wire = [-1] * width
        if place:
            wire[0] = int(chance.integers(max(0, place - 6), place))
            if width == 2 and chance.random() < 0.6:
                wire[1] = int(chance.integers(0, place))
        if width == 2 and chance.random() < 0.5:
            wire.reverse()
        wires.append(wire)
    return kinds, wires


def _stretches(chosen: Ids, count: int, size: int, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """Deals places to copies so that each lies within a stretch of some copies' length."""
    if not count:
        return np.empty((0, size), np.int64)
    ordered = np.sort(chosen)
    together = 10
    rows = []
    for start in range(0, count, together):
        part = ordered[start * size : min(start + together, count) * size]
        dealt = chance.permutation(len(part))
        copies = len(part) // size
        rows += [np.sort(part[dealt[number::copies]]) for number in range(copies)]
    return np.stack(rows)
