"""Autotune: numbers of workers that follow what happens at the connectors, for `ds.config.set_enable_autotune`."""

from framework.dataset.tuning.tuner import Tuner, cores

__all__ = ["Tuner", "cores"]
