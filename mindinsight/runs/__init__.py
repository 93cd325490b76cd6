"""Runs: which trainings there are below the base directory, where their files are and what state they are in.

Every other app refers to runs; runs refer to none of them.
"""
