"""Loggers, trackers and callbacks for frameworks of training, one module for each. Programs import these modules.

They import the framework, `summaries` and `mindinsight.torch`; neither Django nor the training core.
"""
