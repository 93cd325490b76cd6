"""The views of graphs and the shapes of their answers. Only the URL configuration imports it."""
