"""Calls of compiled functions: guards find the program that is valid for the arguments, or a new one is compiled."""
