"""Programs that change values which something else refers to: Python sees the change, a compiled program would not."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import random
import time

import numpy as np

from framework import Parameter, Tensor, nn
from framework.common.initializer import initializer

V = Tensor(np.array([1.0, 2, 3], np.float32))
ITEMS = [1]
TABLE = {}


def in_a_tuple(s):
    a = [s]
    b = (a, 1)
    a[0] = s * 5
    return b[0][0]


def by_a_function(s):
    def change(items):
        items.append(3)

    a = [s]
    change(a)
    return a[0] * len(a)


def in_a_loop_over_lists(s):
    rows = [[s], [s]]
    for row in rows:
        row[0] = s * 7
    return rows[0][0]


def by_unpacking(s):
    a, b = [s], [s]
    c, d = a, b
    c[0] = s * 7
    return a[0]


def by_a_conditional_expression(s):
    a, b = [s], [s]
    c = a if s.ndim == 0 else b
    c[0] = s * 7
    return a[0]


def by_a_second_name(s):
    a = b = [s]
    a.append(1)
    return s * len(b)


def by_an_augmented_assignment(s):
    a = [s]
    b = a
    b += [s]
    return s * len(a)


def by_repetition(s):
    a = [[s]] * 2
    a[0][0] = s * 5
    return a[1][0]


def in_the_next_round(s):
    a = [s]
    b = (a,)
    total = s * 0
    while total < 10:
        total = total + b[0][0]
        a[0] = a[0] + 1
    return total


def a_list_that_is_looped_over(s):
    items = [1, 2, 3]
    for item in items:
        if item == 2:
            items.append(4)
        s = s + item
    return s


def a_tensor_in_a_tuple(s):
    v = s * V
    t = (v, 1)
    v[0] = 9.0
    return t[0]


def a_tensor_by_a_function(s):
    def change(x):
        x[0] = 9.0

    v = s * V
    change(v)
    return v


def a_default(s):
    def count(x, seen=[]):
        seen.append(x)
        return len(seen)

    count(s)
    return s * count(s)


def a_generator_that_is_used_up(s):
    g = (i for i in [1, 2, 3])
    a, b = list(g), list(g)
    return s * (len(a) * 10 + len(b))


def zip_that_is_used_up(s):
    z = zip([1, 2], [3, 4])
    a, b = list(z), list(z)
    return s * (len(a) * 10 + len(b))


def a_global_list(s):
    ITEMS.append(2)
    return s * len(ITEMS)


def a_global_list_under_a_local_name(s):
    items = ITEMS
    items.append(2)
    return s * len(items)


def a_global_dictionary(s):
    TABLE["a"] = 3
    return s * len(TABLE)


def a_variable_of_the_function_around(s):
    a = [s]

    def change():
        a[0] = s * 9

    change()
    return a[0]


class Cell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.items = []
        self.count = 0
        self.weight = Parameter(V, name="weight")


class AttributeList(Cell):
    def construct(self, s):
        self.items.append(1)
        return s * len(self.items)


class AttributeListByName(Cell):
    def construct(self, s):
        items = self.items
        items.append(3)
        return s * len(self.items)


class AttributeNumber(Cell):
    def construct(self, s):
        self.count += 1
        return s * self.count


class WeightByName(Cell):
    def construct(self, s):
        w = self.weight
        w[0] = s
        return w.sum()


def set_attribute(s):
    setattr(s, "a", 1)
    return s


def evaluated(s):
    return s * eval("1")


def a_random_tensor(s):
    return s * initializer("normal", [2])


def by_its_own_index(s):
    items = [s, s * 2, 1]
    items[items.pop()] = s * 5
    return items[1]


def by_its_own_value(s):
    items = [s, s * 2, 1]
    items[0] += items.pop()
    return items[0]


def deleted(s):
    items = [s, s * 2]
    kept = (items,)
    del items[0]
    return kept[0]


def through_a_choice(s):
    a, b = s * 1, s * 2
    c = a if s > 0 else b
    c[()] = 9.0
    return a


def through_a_choice_the_other_way(s):
    a, b = s * 1, s * 2
    c = b if s > 0 else a
    a[()] = 9.0
    return c


def through_a_branch(s):
    a = s * 1
    b = a
    if s > 5:
        b = a * 2
    a[()] = 9.0
    return b


def through_a_result(s):
    def either(p, q):
        if p > 0:
            return p
        return q

    a, b = s * 1, s * 2
    c = either(a, b)
    c[()] = 9.0
    return a


def through_a_tuple_that_is_chosen(s):
    a, b = s * 1, s * 2
    both = (a, b) if s > 0 else (b, a)
    first = both[0]
    first[()] = 9.0
    return a


def through_a_loop(s):
    a, b, i = s * 1, s * 2, s * 0
    while i < 2:
        b = a
        i = i + 1
    b[()] = 9.0
    return a


def through_the_next_round(s):
    a, b, i = s * 1, s * 2, s * 0
    while i < 3:
        b[()] = b + 2
        b = a
        i = i + 1
    return b


def through_two_variables_of_a_loop(s):
    a, b, c, i = s * 1, s * 2, s * 3, s * 0
    while i < 3:
        a[()] = a + b
        c = c * 2
        a = c
        b = c
        i = i + 1
    return b


def through_a_recursion(s):
    def itself(n, t):
        if n <= 0:
            return t
        return itself(n - 1, t)

    a = s * 1
    b = itself(s, a)
    b[()] = 9.0
    return a


def through_a_recursion_that_swaps(s):
    def either(n, p, q):
        if n <= 0:
            return p
        return either(n - 1, q, p)

    a, b = s * 1, s * 2
    c = either(s, a, b)
    c[()] = 9.0
    return b


def a_list_that_is_chosen(s):
    a, b = [s], [s * 2]
    c = a if s > 0 else b
    c[0] = s * 7
    return a[0]


def a_method_of_a_list(s):
    items = [3, 1, 2]
    count = items.count
    items.append(3)
    return s * count(3)


def a_method_of_a_list_with_its_argument(s):
    items = [3, 1, 2]
    return s * items.index(items.pop(0) - 2)


def a_method_of_a_dictionary(s):
    table = {"a": s}
    get = table.get
    table["a"] = s * 2
    return get("a")


def a_view_of_a_dictionary(s):
    table = {"a": s}
    keys = table.keys()
    table["b"] = s
    return s * len(list(keys))


def pairs_of_a_dictionary(s):
    table = {"a": s}
    pairs = table.items()
    table["a"] = s * 2
    return sum([value for _, value in pairs])


def enumerate_before_a_change(s):
    items = [s, s]
    pairs = enumerate(items)
    items.append(s)
    return s * len(list(pairs))


def reversed_before_a_change(s):
    items = [1, 2]
    backwards = reversed(items)
    items[0] = 5
    return s * sum(backwards)


REFUSED = [
    *(
        (program, "changes this (tuple|list|dictionary) through another name")
        for program in (
            a_view_of_a_dictionary,
            pairs_of_a_dictionary,
            enumerate_before_a_change,
            reversed_before_a_change,
        )
    ),
    *(
        (program, "changes this (tensor|list|dictionary) through another name")
        for program in (
            through_a_choice,
            through_a_choice_the_other_way,
            through_a_branch,
            through_a_result,
            through_a_tuple_that_is_chosen,
            through_a_loop,
            through_the_next_round,
            through_two_variables_of_a_loop,
            through_a_recursion,
            through_a_recursion_that_swaps,
            a_list_that_is_chosen,
            a_method_of_a_list,
            a_method_of_a_list_with_its_argument,
            a_method_of_a_dictionary,
        )
    ),
    (by_its_own_index, "a part of 'items' whose index or value changes 'items' too"),
    (by_its_own_value, "a part of 'items' whose index or value changes 'items' too"),
    (deleted, "changes this list through another name"),
    (a_random_tensor, "would draw its numbers once"),
    (in_a_tuple, "line 22 changes this list through another name"),
    (by_a_function, "changes this list through another name"),
    (in_a_loop_over_lists, "changes this list through another name"),
    (by_unpacking, "changes this list through another name"),
    (by_a_conditional_expression, "changes this list through another name"),
    (by_a_second_name, "changes this list through another name"),
    (by_an_augmented_assignment, "changes this list through another name"),
    (by_repetition, "changes this list through another name"),
    (in_the_next_round, "changes this (list|tuple) through another name"),
    (a_list_that_is_looped_over, "changes this list through another name"),
    (a_tensor_in_a_tuple, "changes this tensor through another name"),
    (a_tensor_by_a_function, "changes this tensor through another name"),
    (a_default, "changes this list through another name"),
    (a_generator_that_is_used_up, "changes this tuple through another name"),
    (zip_that_is_used_up, "changes this tuple through another name"),
    (a_global_list, r"\.append\(\) changes a value that is not a variable of this function"),
    (a_global_list_under_a_local_name, "belongs to the environment of the function"),
    (a_global_dictionary, "changing a part of 'TABLE', which is not a variable of this function"),
    (a_variable_of_the_function_around, "changing a part of 'a', which is not a variable of this function"),
    (AttributeList(), r"\.append\(\) changes a value that is not a variable"),
    (AttributeListByName(), "belongs to the environment of the function"),
    (AttributeNumber(), "only a Parameter can be assigned"),
    (WeightByName(), r"write self.name\[index\] = value"),
    (set_attribute, r"setattr\(\) has no meaning"),
    (evaluated, r"eval\(\) has no meaning"),
]
