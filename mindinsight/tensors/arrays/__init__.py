"""Functions on arrays of tensors: slices, statistics, tiles, search. It uses neither files nor Django."""
