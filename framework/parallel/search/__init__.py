"""The search for the cheapest division of all operators of a network, by the model of `framework.parallel.cost`.

network_choices    the network as choices with costs of each, and of each pair of neighbours
elimination        solves choices that have at most two neighbours, exactly, one after another
wide_elimination   the same for choices with more neighbours, while tables are small
integer_program    solves what is left, exactly
recursive          MindSpore's double recursive way: the ranks in two, again and again, heaviest operators first
answers            runs a search, and says what it found, what that costs and what else there was
"""

from framework.parallel.search.answers import Answer, searched

__all__ = ["Answer", "searched"]
