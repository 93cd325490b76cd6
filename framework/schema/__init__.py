"""The messages of files that hold models: `.proto` sources and the code that `make proto` generates from them."""
