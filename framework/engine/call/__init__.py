"""What a call of a compiled function does: guards pick a program, arguments become arrays, results become tensors."""
