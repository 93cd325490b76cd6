"""Between web server processes: a training is connected to one of them and watched at all. Used by sessions."""
