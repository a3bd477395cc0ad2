"""Files that only their owner may read, because people's addresses are in them, whatever the umask of a command is."""

from __future__ import annotations

import os
from pathlib import Path


def opened(path: Path, flags: int) -> int:
    """Return a descriptor of a file, which is made if it is not there. Raises OSError.

    What root makes is given to the owner of the directory: else it would shut out the daemon, which runs as that user.
    """
    descriptor = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        if os.fstat(descriptor).st_uid != owner.st_uid:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor
