"""File formats of published datasets, each a source of rows for `framework.dataset.runtime`."""
