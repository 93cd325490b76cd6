"""Runs the web server: uvicorn, with its own options.

Run by the supervisor: `python -m mindinsight.config.web`. Uvicorn's own command would also import its
code for reloading and for several processes.
"""

from __future__ import annotations

from mindinsight.config.django_setup import set_up
from mindinsight.config.lean import import_uvicorn


def main() -> None:
    """Serves until it is stopped."""
    import_uvicorn()
    set_up()
    from mindinsight.database.damage import end_when_damaged

    end_when_damaged()
    from uvicorn.main import main as serve

    serve()


if __name__ == "__main__":
    main()
