"""The socket of a gate: who gets an answer, and what a broken connection means."""

import json
import socket
import stat
import tempfile
import threading
import time
from pathlib import Path

import pytest

from thresher.judges.engine.gate import (
    Gate,
    GateAddress,
    GateConnection,
    GateLimits,
    GateLostError,
    Lease,
    LeaseRequest,
    Money,
    Usage,
    serving,
)
from thresher.judges.engine.gate.messages import JudgeState

FULL = LeaseRequest(
    "a",
    "epoch",
    "endpoint",
    3,
    12.5,
    1,
    -4.0,
    Money(2, 0.5),
    Usage(Money(7, 1.5), Money(9, 2.0)),
    {"judge": JudgeState(4, 2, "HTTP 500", rejected=True)},
    {"b": Usage(Money(1), Money(2))},
)


class Recorder:
    """Gives one lease and records the requests."""

    def __init__(self):
        self.requests = []
        self.answer = Lease(
            "e",
            asks=2,
            tokens=3.5,
            wait=0.25,
            life=3.0,
            allowance=Money(1, 2),
            spent=True,
            short=True,
            concurrency=5,
            silent={"j": "why"},
            ledger={"b": Usage()},
        )

    def lease(self, request):
        self.requests.append(request)
        return self.answer


def answer(address):
    with GateConnection(address) as connection:
        return connection.lease(FULL)


def test_requests_and_leases_arrive_as_they_were_sent():
    gate = Recorder()
    with serving(gate) as address, GateConnection(address) as connection:
        assert connection.lease(FULL) == connection.lease(FULL) == gate.answer
    assert gate.requests == [FULL, FULL]


def test_the_socket_belongs_to_this_user_alone_and_the_key_is_not_shown():
    with serving(Recorder()) as address:
        place = Path(address.place)
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert address.key not in repr(address)
    assert not place.parent.exists()


def test_callers_without_the_key_get_no_answer():
    gate = Recorder()
    with serving(gate) as address:
        with pytest.raises(GateLostError):
            GateConnection(GateAddress(address.place, "guess"), patience=0.2).lease(FULL)
        assert gate.requests == []
        assert answer(address) == gate.answer


@pytest.mark.parametrize("line", [b"\n", b"[]\n", b"{}\n", b"\xff\n", b'{"worker": 1}\n'])
def test_nonsense_ends_the_connection_and_not_the_gate(line, capsys):
    with serving(Recorder()) as address:
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(address.place)
            other.sendall(address.key.encode() + b"\n" + line)
            other.settimeout(5)
            assert other.recv(100) == b""
        assert answer(address) == Recorder().answer
    assert capsys.readouterr().err == ""


def test_a_long_path_of_temporary_files_gives_a_loopback_address(tmp_path, monkeypatch):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with serving(Recorder()) as address:
        assert address.place[0] == "127.0.0.1"
        assert answer(address) == Recorder().answer


def test_a_gate_that_is_gone_is_reported_within_the_patience():
    with serving(Recorder()) as address:
        connection = GateConnection(address, patience=0.3)
        connection.lease(FULL)
    start = time.monotonic()
    with pytest.raises(GateLostError, match="the driver of the run has ended"):
        connection.lease(FULL)
    assert time.monotonic() - start >= 0.3


def test_threads_share_a_connection_and_workers_share_a_gate():
    gate = Gate(GateLimits(max_calls=300))
    granted = []
    with serving(gate) as address:
        connections = [GateConnection(address) for _ in range(3)]

        def work(worker):
            usage = Usage()
            for _ in range(20):
                lease = connections[worker % 3].lease(LeaseRequest(str(worker), usage=usage, need=Money(1)))
                usage = Usage(usage.allowed + lease.allowance, usage.allowed + lease.allowance)
            granted.append(usage.allowed.calls)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
    assert 100 <= sum(granted) <= 300


def test_one_lease_is_for_many_asks():
    with serving(Gate(GateLimits())) as address, GateConnection(address) as connection:
        asks = sum(connection.lease(LeaseRequest("a", "", "endpoint", 10)).asks for _ in range(200))
    assert asks == 2000


def test_messages_are_plain_json():
    assert LeaseRequest.from_dict(json.loads(json.dumps(FULL.to_dict()))) == FULL
