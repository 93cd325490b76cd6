"""One process among one."""

import pytest

from framework.communication import get_group_size, get_rank, init, release


def test_ranks_need_init() -> None:
    with pytest.raises(RuntimeError, match=r"call communication.init\(\)"):
        get_rank()
    init("mpi")
    assert (get_rank(), get_group_size()) == (0, 1)
    with pytest.raises(ValueError, match="no group 'other'"):
        get_rank("other")
    release()
    with pytest.raises(ValueError, match="must be one of mpi"):
        init("smoke signals")
