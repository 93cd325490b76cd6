"""Cells and other objects: their methods, attributes and types."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors

from framework import Parameter, Tensor, nn
from tests.framework.language.programs.cases import S, T, V, X, case


@case(S)
def isins(s):
    r = 0
    class_ = (int, float)
    r += isinstance(s, Tensor)
    r += 2 * isinstance(3, int)
    r += 4 * isinstance(3.0, class_)
    r += 8 * isinstance([s], list)
    r += 16 * isinstance((s,), tuple)
    r += 32 * isinstance({"a": s}, dict)
    r += 64 * isinstance("a", str)
    r += 128 * isinstance(None, type(None))
    r += 256 * (not isinstance(True, float))
    r += 512 * isinstance(s.shape, tuple)
    r += 1024 * isinstance(lambda: 1, type(lambda: 1))
    return s * r


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3, weight_init="ones") for _ in range(3)])
        self.seq = nn.SequentialCell(nn.ReLU(), nn.Dense(3, 2, weight_init="ones"))
        self.flag = True
        self.sizes = [1, 2]
        self.table = {"a": 2.0}

    def helper(self, x, k=1):
        return x * k

    @property
    def prop(self):
        return 5.0

    @staticmethod
    def stat(x):
        return x + 1

    @classmethod
    def clsm(cls, x):
        return x + 2

    def construct(self, x, y=None):
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        for layer in self.layers[1:]:
            x = layer(x)
        for cell in self.seq:
            x = cell(x)
        if y is not None:
            x = x + y
        if self.flag and self.training:
            x = x * 2
        return (
            self.stat(self.clsm(self.helper(x, k=self.table["a"]) * self.prop * self.sizes[1]))
            + len(self.layers)
            + self.layers[0](V).sum()
            + self.layers[-1].weight.sum()
        )


net = Net()


@case(X)
def cells(x):
    return net(x)


@case(X, S)
def cells2(x, s):
    return net(x, y=s)


class Base(nn.Cell):
    def construct(self, x):
        return x * 3


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.w = Parameter(T(1.0, 2.0, 3.0), name="w")

    def construct(self, x):
        return super().construct(x) + super(Derived, self).construct(x) + Base.construct(self, x)


derived = Derived()


@case(S)
def calls_of_the_base_class(s):
    return derived(s)


class WithOperators:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k

    def __getitem__(self, i):
        return i * 10

    def __len__(self):
        return 4

    def __add__(self, other):
        return other + self.k

    def __bool__(self):
        return False


thing = WithOperators(3)


@case(S)
def objects_of_users(s):
    return thing(s) + thing[2] + len(thing) + (thing + 1) + (thing + s) + (1 if thing else 2)


@case(S)
def tells_parameters_from_tensors(s):
    w = derived.w
    return s * isinstance(w, Parameter) + 2 * isinstance(s, Parameter) + 4 * isinstance(w, Tensor)


@case(V)
def makes_cells(v):
    return nn.ReLU()(v) + nn.Dense(3, 3, weight_init="ones", bias_init="zeros")(v.reshape(1, 3))


class Counted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(T(1.0, 2.0, 3.0), name="weight")
        self.asked = Parameter(T(0.0), name="asked")

    def itself(self):
        self.asked += 1.0
        return self

    def construct(self, v):
        self.itself().weight += v
        self.itself().weight[0] = 5.0
        self.itself().weight[1:] *= 2.0
        return self.weight * 1.0, self.asked * 1.0
