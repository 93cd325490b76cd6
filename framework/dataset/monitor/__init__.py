"""What a running pipeline tells of itself: meters, the rule for its bottleneck, the words for it, and its files.

`framework.dataset.runtime` feeds the meters; `framework.dataset.engine` and the training read the rest.
"""
