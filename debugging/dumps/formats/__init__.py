"""The formats of dumps: folders and files of MindSpore and of msprobe. `debugging.dumps.opening` imports them."""
