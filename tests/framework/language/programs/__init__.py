"""Programs as users write them, one for each construct of Python that graph mode has, and their arguments."""

from tests.framework.language.programs import branches_and_loops, containers, functions, objects, tensors  # noqa: F401
from tests.framework.language.programs.cases import CASES, V
from tests.framework.language.programs.objects import Counted

__all__ = ["CASES", "Counted", "V"]
