"""MindSpore's `_checkparam`, at MindSpore's path; imported only by scripts that need it."""

from framework.compat.checkparam import *  # noqa: F403
from framework.compat.checkparam import __all__ as __all__
from framework.compat.checkparam import check_str_by_regular

#: MindSpore 1.0's name.
_check_str_by_regular = check_str_by_regular
