"""Workers that are processes of their own, for functions that hold Python's lock.

A fork server, started once with this package loaded and without threads, forks workers at little cost. It is none of
`multiprocessing`, whose children run the user's main module again unless it is guarded, which most programs of
MindSpore's are not. Functions come by cloudpickle, rows in shared memory without a name, so that nothing is left over
whoever is killed. `framework.dataset.runtime.section` alone uses it.
"""

from framework.dataset.runtime.processes.pool import ProcessPool

__all__ = ["ProcessPool"]
