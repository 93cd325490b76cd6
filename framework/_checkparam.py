"""MindSpore's `_checkparam`, at MindSpore's path; imported only by scripts that need it."""

from framework.compat import checkparam
from framework.compat.checkparam import *  # noqa: F403
from framework.compat.checkparam import _expand_tuple as _expand_tuple
from framework.compat.old_checks import Rel, Validator, check_int_positive

__all__ = ["Rel", "Validator", "check_int_positive"]
__all__ += checkparam.__all__

#: MindSpore 1.0's name.
_check_str_by_regular = checkparam.check_str_by_regular
