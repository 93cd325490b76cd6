"""The messages of model files and checkpoints: `.proto` sources, and the code that `make proto` generates from them."""
