"""One process among one."""

import numpy as np
import pytest

from framework import communication
from framework.communication import collectives, get_group_size, get_rank, init, release


def test_ranks_need_init() -> None:
    with pytest.raises(RuntimeError, match=r"call communication.init\(\)"):
        get_rank()
    init("mpi")
    assert (get_rank(), get_group_size()) == (0, 1)
    with pytest.raises(ValueError, match="no group 'other'"):
        get_rank("other")
    communication.create_group("other", [0])
    assert (get_rank("other"), communication.get_local_rank_size("other")) == (0, 1)
    assert communication.get_world_rank_from_group_rank("other", 0) == 0
    assert communication.get_group_rank_from_world_rank(0, "other") == 0
    with pytest.raises(ValueError, match=r"there are no ranks \[0, 1\]"):
        communication.create_group("both", [0, 1])
    communication.destroy_group("other")
    with pytest.raises(ValueError, match="no group 'other'"):
        communication.get_process_group_ranks("other")
    release()
    with pytest.raises(ValueError, match="must be one of mpi"):
        init("smoke signals")


@pytest.mark.parametrize(("shape", "dtype"), [((3,), np.float32), ((4,), np.int32)])
def test_a_message_of_another_shape_or_type_is_refused(shape: tuple[int, ...], dtype: type[np.generic]) -> None:
    collectives.send(np.zeros(4, np.float32), 0, 0, "world")
    with pytest.raises(ValueError, match=r"rank 0 sent float32\[4\], 16 bytes, where rank 0 expects"):
        collectives.receive(0, 0, shape, np.dtype(dtype), "world")
