"""Sends what earlier writers left in spools: their process was killed, or the dashboard was away.

The sender's thread calls it for its own dashboard, `python -m summaries.remote` for all.
"""

import logging
from collections.abc import Iterator

from summaries.remote.address import RunAddress, find_token, is_local, split_address
from summaries.remote.spool import Spool, left_over
from summaries.remote.transport import SendError, Transport
from summaries.remote.uploads import SpoolUpload

_log = logging.getLogger("summaries")

_BUDGET = 4 << 20
"""Bytes of a file that are sent before the running training has its turn again."""


class Leftovers:
    """The spools that earlier writers left for one dashboard.

    Args:
        address: a run on this dashboard; the others are sent with its token.
    """

    def __init__(self, address: RunAddress) -> None:
        self._address = address
        self._uploads: list[SpoolUpload] | None = None

    def advance(self) -> None:
        """Send a part of one; remove it once the dashboard has it. One that cannot be sent now is left for later."""
        if self._uploads is None:
            self._uploads = [upload_of(spool, self._address.token) for spool in left_over() if self._is_wanted(spool)]
        if not self._uploads:
            return
        upload = self._uploads[0]
        try:
            if upload.advance(_BUDGET) or not upload.is_complete():
                return
            upload.spool.remove()
        except (SendError, OSError) as error:
            _log.warning("%s stays for a later writer: %s", upload.spool.folder, error)
            upload.spool.release()
        self._uploads.pop(0)

    def release(self) -> None:
        """Leave the rest to others."""
        for upload in self._uploads or ():
            upload.spool.release()
        self._uploads = []

    def _is_wanted(self, spool: Spool) -> bool:
        if spool.origin == self._address.origin:
            return True
        spool.release()
        return False


def send_all() -> Iterator[tuple[Spool, str]]:
    """Send all spools that are left over.

    Yields:
        Each with "", or the reason why it stays.
    """
    for spool in left_over():
        try:
            upload = upload_of(spool, None)
            while upload.advance(_BUDGET):
                pass
            reason = "" if upload.is_complete() else "a part of it is not sent"
        except (SendError, OSError, ValueError) as error:
            reason = str(error)
        if reason:
            spool.release()
        else:
            spool.remove()
        yield spool, reason


def upload_of(spool: Spool, token: str | None) -> SpoolUpload:
    """The upload of a spool whose writers are gone.

    Args:
        spool: the spool.
        token: the dashboard's token; by default what `find_token` finds.

    Raises:
        ValueError: the spool's address is damaged.
    """
    parts = split_address(spool.origin)
    address = RunAddress(spool.origin, spool.path, token or find_token(parts), is_local(parts.hostname or ""))
    return SpoolUpload(spool, Transport(address), orphaned=True)
