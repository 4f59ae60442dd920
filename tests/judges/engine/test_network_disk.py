"""Which files are on disks that several machines share."""

from pathlib import Path

import pytest

from thresher.judges.engine import network_disk

MOUNTS = r"""
22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:26 / /home rw shared:5 - nfs4 server:/home rw,vers=4.2
31 30 0:27 / /home/local rw - xfs /dev/sdb rw
32 22 0:28 / /with\040space rw - cifs //server/share rw
33 22 0:29 / /fast rw master:1 - lustre 10.0.0.1@tcp:/fast rw
34 22 0:30 / /bucket rw - fuse.gcsfuse bucket rw
35 22 0:31 / /shared rw - 9p host rw
36 22 0:32 / /covered rw - nfs server:/a rw
37 22 0:33 / /covered rw - tmpfs tmpfs rw
"""


@pytest.fixture
def mounts(tmp_path, monkeypatch):
    file = tmp_path / "mountinfo"
    file.write_text(MOUNTS.lstrip())
    monkeypatch.setattr(network_disk, "_MOUNTS", file)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ann/answers.sqlite", "nfs4"),
        ("/home", "nfs4"),
        ("/homestead/answers.sqlite", None),
        ("/home/local/answers.sqlite", None),
        ("/with space/a", "cifs"),
        ("/fast/runs/.cache/answers.sqlite", "lustre"),
        ("/bucket/a", "fuse.gcsfuse"),
        ("/shared/a", None),
        ("/covered/a", None),
        ("/data/a", None),
    ],
)
def test_the_innermost_mount_decides(mounts, path, kind):
    assert network_disk.network_kind(Path(path)) == kind


def test_without_a_list_of_mounts_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(network_disk, "_MOUNTS", tmp_path / "none")
    assert network_disk.network_kind(Path("/home/a")) is None


def test_a_path_is_resolved(mounts, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("/fast")
    assert network_disk.network_kind(tmp_path / "link" / "a") == "lustre"


def test_this_machines_own_list_can_be_read():
    assert network_disk.network_kind(Path("/proc/self/status")) is None
