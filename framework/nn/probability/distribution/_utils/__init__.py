"""MindSpore's path of the checks of parameters; they are in `parameters`."""
