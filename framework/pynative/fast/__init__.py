"""Fast paths of PyNative mode. Each gives the results of the plain path; without them everything works the same.

`install` is called once, by `framework.pynative`. The plain modules beside this folder import nothing from here.
"""

__all__ = ["install"]


def install() -> None:
    """Put the fast paths in front of the plain ones."""
    from framework.pynative.fast import array_pass, captured, generated_calls, operators

    generated_calls.install()
    operators.install()
    array_pass.install()
    captured.install()
