"""Files that data sets are published in, each a source of rows for `framework.dataset.runtime`."""
