"""MindSpore's names around THOR, a second-order optimizer that is not here.

Programs that offer it beside other optimizers import them; `compat.paths` puts them where MindSpore has them. Each
refuses when it is called, and says what to train with.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["ConvertModelUtils", "ConvertNetUtils", "thor"]


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: the optimizer THOR is not supported, because it needs layers that keep the second moments of their "
        "inputs; use another optimizer, such as nn.Momentum, nn.Adam or nn.Lamb"
    )


def thor(net: object, learning_rate: object, damping: object, momentum: float, **settings: Any) -> NoReturn:
    """Refuse to make the optimizer.

    Raises:
        NotImplementedError: always.

    """
    del net, learning_rate, damping, momentum, settings
    _refuse("nn.thor")


class ConvertNetUtils:
    """What makes the layers of a network fit for THOR in MindSpore."""

    def convert_to_thor_net(self, net: object) -> NoReturn:
        """Refuse to convert a network.

        Raises:
            NotImplementedError: always.

        """
        del net
        _refuse("ConvertNetUtils.convert_to_thor_net")


class ConvertModelUtils:
    """What makes a `Model` that trains with THOR in MindSpore."""

    @staticmethod
    def convert_to_thor_model(model: object, network: object, **settings: Any) -> NoReturn:
        """Refuse to convert a model.

        Raises:
            NotImplementedError: always.

        """
        del model, network, settings
        _refuse("ConvertModelUtils.convert_to_thor_model")
