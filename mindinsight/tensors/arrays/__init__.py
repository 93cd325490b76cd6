"""What works on arrays of tensors: slices, statistics, tiles, search. Knows neither files nor Django."""
