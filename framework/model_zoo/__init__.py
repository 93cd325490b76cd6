"""Networks that many know, as Cells that train: public as `ms.model_zoo`."""

from framework.model_zoo.lenet import LeNet5

__all__ = ["LeNet5"]
