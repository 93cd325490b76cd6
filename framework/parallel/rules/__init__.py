"""Rules: how the work of an operator may be divided over ranks, by the family of the operator.

indices            what a rule says: names for what an operator runs over, and where operands and outputs have them
rule_table         finds the rule of an operator; one without a rule is computed whole by every rank
*_rules            the rules
partial            operators on a part whose place in the whole tensor matters

A rule is like `x[m,k] w[k,n] -> y[m,n], summed over k`: a rank may have a part of each index. From this follows where
operands have to be, where outputs are, and which sums ranks have to exchange, forward and backward.
"""
