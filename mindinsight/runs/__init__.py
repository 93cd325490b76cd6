"""Runs: the trainings below the base directory, their files and their states.

Every other app refers to runs; runs refer to none of them.
"""
