"""The views of lineage and the shapes of their answers. Only the URL configuration imports it."""
