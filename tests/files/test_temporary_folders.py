"""Folders in the system's folder of temporary files, and those that killed processes left there."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from thresher.files.building import temporary_folder
from thresher.files.temporary import new_folder
from thresher.judges.engine.gate import Gate, GateLimits, serving

FOREVER = """
import time
from thresher.files.temporary import new_folder
folder = new_folder()
(folder / "ids.bin").write_bytes(b"1")
print(folder, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="processes cannot be checked there")
def test_the_folder_of_a_killed_process_is_deleted_and_that_of_a_running_one_stays(place):
    command = [sys.executable, "-c", FOREVER]
    environment = {**os.environ, "TMPDIR": str(place)}
    other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    folder = Path(other.stdout.readline().strip())
    own = new_folder()
    assert (folder / "ids.bin").exists()
    other.send_signal(signal.SIGKILL)
    other.wait()
    other.stdout.close()
    assert folder.exists()
    newer = temporary_folder()
    assert set(place.iterdir()) == {own, newer}


@pytest.mark.skipif(os.name == "nt", reason="processes cannot be checked there")
def test_only_folders_of_ended_processes_of_this_machine_are_deleted(place):
    own = new_folder()
    start, process, _ = own.name.split(".")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stay = [
        f"thresher-elsewhere.{ended.pid}.abc",
        "thresher-abc",
        f"{start}.{os.getppid()}.abc",
        f"other-{own.name}",
    ]
    gone = [f"{start}.{ended.pid}.abc", f"{start}.{process}.abc", f"{start}.99999999999999999999.abc"]
    for name in [*stay, *gone]:
        (place / name / "inner").mkdir(parents=True)
    newer = new_folder()
    assert {path.name for path in place.iterdir()} == {*stay, own.name, newer.name}


def test_a_gate_has_such_a_folder_and_deletes_it(place):
    with serving(Gate(GateLimits())) as address:
        folders = list(place.iterdir())
        assert len(folders) <= 1
        if isinstance(address.place, str):
            assert Path(address.place).parent == folders[0]
        assert new_folder().exists()
        assert all(folder.exists() for folder in folders)
        shutil.rmtree(new_folder())
    assert not any(folder.exists() for folder in folders)
