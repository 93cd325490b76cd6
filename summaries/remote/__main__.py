"""`python -m summaries.remote` sends what remote runs left on this machine."""

import sys

from summaries.remote.leftovers import send_all


def main() -> int:
    """Send all; returns 1 if something stays."""
    stays = False
    for spool, reason in send_all():
        print(f"{spool.origin}/{spool.path}: {reason or 'sent'}", file=sys.stderr if reason else sys.stdout)
        stays |= bool(reason)
    return int(stays)


if __name__ == "__main__":
    sys.exit(main())
