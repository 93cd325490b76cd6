"""The functional IR: function graphs of Parameter, ValueNode and CNode, what is known of them, and their text.

Everything that parses, infers, differentiates, optimizes and runs programs imports this; it imports none of those.
"""
