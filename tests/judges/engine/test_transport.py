from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from thresher.judges.engine.transport import backoff, trouble


class StatusError(Exception):
    def __init__(self, status, text="oops", headers=None):
        super().__init__(text)
        self.status_code = status
        self.response = httpx.Response(status, headers=headers or {})


@pytest.mark.parametrize(
    ("status", "passing"),
    [
        *((status, True) for status in (408, 409, 429, 500, 502, 503, 529)),
        *((status, False) for status in (400, 401, 403, 404, 422)),
    ],
)
def test_which_statuses_pass(status, passing):
    assert trouble(StatusError(status)).passing is passing


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_model_or_address_is_hopeless_for_all(status):
    assert trouble(StatusError(status)).hopeless


def test_an_exhausted_quota_does_not_pass():
    told = trouble(StatusError(429, "Error code: 429 - {'code': 'insufficient_quota'}"))
    assert (told.passing, told.hopeless) == (False, True)
    assert not trouble(StatusError(429)).hopeless


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        ConnectionResetError("reset"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("cut"),
    ],
)
def test_dropped_connections_pass(error):
    assert trouble(error).passing


def test_causes_are_looked_through():
    error = RuntimeError("Error while generating")
    error.__cause__ = StatusError(503)
    told = trouble(error)
    assert (told.status, told.passing, told.text) == (
        503,
        True,
        "HTTP 503: RuntimeError: Error while generating",
    )


def test_other_errors_stay():
    assert not trouble(ValueError("bad prompt")).passing


def test_the_server_s_wish_is_read_in_every_form():
    assert trouble(StatusError(429, headers={"Retry-After": "7"})).wait == 7.0
    assert trouble(StatusError(429, headers={"retry-after-ms": "250", "Retry-After": "1"})).wait == 0.25
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert trouble(StatusError(429, headers={"Retry-After": date})).wait == pytest.approx(30, abs=2)
    assert trouble(StatusError(429, headers={"Retry-After": "soon"})).wait is None


def test_waiting_doubles_with_jitter_and_honours_the_server():
    for failures, longest in ((1, 0.5), (2, 1.0), (5, 8.0), (9, 30.0)):
        assert longest / 2 <= backoff(failures) <= longest
    assert 7.0 < backoff(1, 7.0) <= 7.2
    assert backoff(1, 9999.0) <= 120.2
    assert len({backoff(3) for _ in range(10)}) > 1


def test_the_text_is_one_short_line():
    text = trouble(ValueError("a\n b " + "x" * 1000)).text
    assert text.startswith("ValueError: a b x")
    assert len(text) == 300
