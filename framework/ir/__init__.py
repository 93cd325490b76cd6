"""The functional IR: function graphs of Parameter, ValueNode and CNode, their abstract values, and their text.

Everything that parses, infers, differentiates, optimizes and runs programs imports this; it imports none of those.
"""
