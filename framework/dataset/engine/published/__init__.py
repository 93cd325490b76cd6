"""Datasets in published formats: files of texts and tables, annotated images, and digits.

A class here checks the user's arguments and makes the node; `framework.dataset.formats` reads the files.
"""
