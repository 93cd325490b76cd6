"""Optimizers: Cells that update parameters by their gradients."""

from framework.nn.optim.ada import Adadelta, AdaMax
from framework.nn.optim.adagrad import Adagrad, ProximalAdagrad
from framework.nn.optim.adam import Adam, AdamOffload, LazyAdam
from framework.nn.optim.averaged import ASGD
from framework.nn.optim.decoupled import AdamWeightDecay, Lamb
from framework.nn.optim.factored import AdaFactor
from framework.nn.optim.ftrl import FTRL
from framework.nn.optim.lars import LARS
from framework.nn.optim.momentum import Momentum
from framework.nn.optim.optimizer import Optimizer
from framework.nn.optim.rmsprop import RMSProp
from framework.nn.optim.rprop import Rprop
from framework.nn.optim.sgd import SGD

__all__ = [
    "ASGD",
    "FTRL",
    "LARS",
    "SGD",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
]
