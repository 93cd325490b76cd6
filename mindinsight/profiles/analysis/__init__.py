"""What a profile means: gaps, steps, advice, memory, ranks, differences. It reads columns; it knows no Django.

The API of the page and the command `mindinsight profile` call it. Answers are numbers and names; the page words them in
its language, `summary` in English.
"""
