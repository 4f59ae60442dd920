"""Whether a file is on a disk that several machines share, where an SQLite file must not be shared."""

import re
import sys
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_KINDS = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "gfs2", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "ocfs2"}
    | {"orangefs", "panfs", "pvfs2", "smb3", "smbfs", "wekafs"}
)
"""File systems of networks and clusters; not those of virtual machines (9p, virtiofs)."""
_USER_KINDS = ("sshfs", "s3fs", "gcsfuse", "blobfuse", "juicefs", "glusterfs", "ceph", "rclone", "mountpoint")
"""Those that run as a process: `fuse.sshfs` and so on."""
_ESCAPE = re.compile(r"\\([0-7]{3})")


def network_kind(path: Path) -> str | None:
    """Kind of the network disk that a file is on, or would be on; None for a local disk, or if unknown.

    Only Linux lists its mounts in a file; on Windows a path that begins with two slashes is on a server.
    """
    place = path.absolute()
    if sys.platform == "win32":
        return "a network share" if place.drive.startswith("\\\\") else None
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place = place.resolve()
    mounts = (_mount(line) for line in lines)
    # later lines cover earlier ones at the same point
    over = [
        (len(point.parts), position, kind)
        for position, (point, kind) in enumerate(mounts)
        if place.is_relative_to(point)
    ]
    kind = max(over, default=(0, 0, ""))[2]
    is_shared = kind in _KINDS or (kind.startswith("fuse.") and kind[5:].startswith(_USER_KINDS))
    return kind if is_shared else None


def _mount(line: str) -> tuple[Path, str]:
    """Mount point and kind of file system."""
    before, _, after = line.partition(" - ")
    point = _ESCAPE.sub(lambda code: chr(int(code[1], 8)), before.split(" ")[4])
    return Path(point), after.split(" ")[0]
