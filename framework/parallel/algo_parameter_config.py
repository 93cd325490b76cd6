"""Settings of the search for a strategy. There is one device, so nothing is searched."""

from __future__ import annotations

from typing import Final

__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]

_DEFAULTS: Final[dict[str, bool | float]] = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_settings = dict(_DEFAULTS)


def set_algo_parameters(**kwargs: bool | float) -> None:
    """Keep settings of the search for a strategy; they have no effect on one device.

    Args:
        kwargs: `fully_use_devices`, `elementwise_op_strategy_follow`, `enable_algo_approxi`, `algo_approxi_epsilon`,
            `tensor_slice_align_enable`, `tensor_slice_align_size`.

    Raises:
        ValueError: there is no such setting.

    """
    for name in kwargs:
        _check(name)
    _settings.update(kwargs)


def get_algo_parameters(attr_key: str) -> bool | float:
    """The value of a setting.

    Args:
        attr_key: its name.

    Raises:
        ValueError: there is no such setting.

    """
    _check(attr_key)
    return _settings[attr_key]


def reset_algo_parameters() -> None:
    """Give all settings their defaults again."""
    _settings.update(_DEFAULTS)


def _check(name: str) -> None:
    if name not in _DEFAULTS:
        raise ValueError(f"there is no setting {name!r} of the search for a strategy; there are {', '.join(_DEFAULTS)}")
