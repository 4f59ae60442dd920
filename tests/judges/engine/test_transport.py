import errno
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import httpx
import openai
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


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_is_hopeless_is_known_by_its_status_through_the_installed_client(answering, status):
    fault = trouble(answering(status, {"error": {"message": "no"}}))
    assert (fault.hopeless, fault.status, fault.cause) == (True, status, f"HTTP {status}")


@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "message": "Check your plan.",
                "type": "insufficient_quota",
                "code": "insufficient_quota",
            }
        },
        {"error": {"message": "Check your plan.", "type": "insufficient_quota", "code": None}},
        {"error": {"message": "Check your plan.", "type": "invalid", "code": "billing_hard_limit_reached"}},
        {"error": {"message": "upstream", "metadata": {"raw": [{"code": "insufficient_quota"}]}}},
        {"detail": {"code": "insufficient_quota"}},
    ],
)
def test_a_spent_quota_is_known_by_the_codes_that_the_installed_client_reports(answering, body):
    error = answering(429, body)
    fault = trouble(error)
    assert (fault.passing, fault.hopeless, fault.cause) == (False, True, "HTTP 429, quota used up")


@pytest.mark.parametrize(
    "message", ["Rate limit reached for requests", "You exceeded your current quota, please check your plan."]
)
def test_a_limited_rate_passes_whatever_its_words(answering, message):
    body = {"error": {"message": message, "type": "requests", "code": "rate_limit_exceeded"}}
    fault = trouble(answering(429, body))
    assert (fault.passing, fault.hopeless, fault.cause) == (True, False, "HTTP 429")


@pytest.fixture
def answering(_listening, monkeypatch):
    """What the installed client of OpenAI raises when a server answers with this status and body."""

    def raised(status, body):
        async def answer(path, _):
            return status, {}, body

        monkeypatch.setattr(_listening, "answer", answer)
        client = openai.OpenAI(api_key="none", base_url=_listening.url, max_retries=0)
        with pytest.raises(openai.APIStatusError) as caught, client:
            client.chat.completions.create(model="mock", messages=[{"role": "user", "content": "?"}])
        return caught.value

    return raised


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_that_is_gone_is_known_through_the_installed_client(host):
    client = openai.OpenAI(api_key="none", base_url=f"http://{host}:9/v1", max_retries=0)
    with client, pytest.raises(openai.APIConnectionError) as caught:
        client.models.list()
    fault = trouble(caught.value)
    assert fault.text == "connection refused: APIConnectionError: Connection error."
    assert (fault.passing, fault.unreachable, fault.hopeless) == (True, True, False)


@pytest.mark.parametrize(
    ("error", "cause", "unreachable"),
    [
        (socket.gaierror(-2, "Name or service not known"), "host name not found", True),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "no connection", True),
        (httpx.ConnectTimeout("slow"), "no connection in time", True),
        (httpx.ConnectError("no"), "no connection", True),
        (ssl.SSLError("bad certificate"), "no secure connection", True),
        (ConnectionRefusedError("no number"), "connection refused", True),
        (OSError(errno.ECONNREFUSED, "no class"), "connection refused", True),
        (ConnectionResetError("reset"), "connection lost", False),
        (httpx.RemoteProtocolError("cut"), "connection lost", False),
        (httpx.ReadError("cut"), "connection lost", False),
    ],
)
def test_what_happened_to_the_connection_is_named(error, cause, unreachable):
    fault = trouble(error)
    assert (fault.passing, fault.cause, fault.unreachable) == (True, cause, unreachable)


def test_several_addresses_that_all_refuse_are_one_refusal():
    error = OSError("All connection attempts failed")
    error.__cause__ = ExceptionGroup("two addresses", [ConnectionRefusedError(111, "no")] * 2)
    assert trouble(error).cause == "connection refused"


def test_a_spent_quota_is_known_by_the_text_of_clients_that_put_the_body_there():
    told = trouble(StatusError(429, "Error code: 429 - {'code': 'insufficient_quota'}"))
    assert (told.passing, told.hopeless) == (False, True)
    assert not trouble(StatusError(429)).hopeless
    assert trouble(StatusError(400, "Your credit balance is too low to use the API")).hopeless


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


def test_headers_are_read_by_their_lower_case_names():
    for headers, wait in (({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({}, None)):
        error = StatusError(429)
        error.response = SimpleNamespace(headers=headers)
        assert trouble(error).wait == wait


def test_a_date_in_the_past_asks_for_no_wait():
    date = format_datetime(datetime.now(UTC) - timedelta(seconds=30), usegmt=True)
    assert trouble(StatusError(429, headers={"Retry-After": date})).wait == 0.0
    assert trouble(StatusError(429, headers={"Retry-After": "-3"})).wait == 0.0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"status_code": 503}, 503),
        ({"response": SimpleNamespace(status_code=503)}, 503),
        ({"status": 503}, 503),
        ({"status_code": True, "status": 503}, 503),
        ({"status_code": "503"}, None),
        ({"status": 400}, 400),
        ({"status": 399}, None),
        ({"status": 599}, 599),
        ({"status": 600}, None),
    ],
)
def test_where_clients_put_the_status(error, status):
    raised = ValueError("oops")
    vars(raised).update(error)
    assert trouble(raised).status == status


@pytest.mark.parametrize(
    ("body", "spent"),
    [
        ({"error": {"code": "insufficient_quota"}}, True),
        ({"error": {"type": "billing_not_active"}}, True),
        ({"detail": [{"raw": [{"code": "billing_hard_limit_reached"}]}]}, True),
        ({"error": {"code": "rate_limit_exceeded", "type": "requests"}}, False),
        (None, False),
    ],
)
def test_a_spent_quota_is_known_by_the_codes_in_the_body(body, spent):
    error = StatusError(429)
    error.body = body
    fault = trouble(error)
    assert (fault.spent, fault.passing) == (spent, not spent)
    assert fault.text == f"HTTP 429{', quota used up' if spent else ''}: StatusError: oops"


def test_an_error_without_words_is_its_class():
    assert trouble(ValueError()).text == "ValueError"


def test_the_cause_is_what_comes_before_the_colon():
    assert trouble(ValueError("a: b")).cause == "ValueError"


def test_waiting_doubles_with_jitter_and_honours_the_server():
    for failures, longest in ((1, 0.5), (2, 1.0), (5, 8.0), (9, 30.0)):
        assert longest / 2 <= backoff(failures) <= longest
    assert 7.0 < backoff(1, 7.0) <= 7.2
    assert backoff(1, 9999.0) <= 120.2
    assert len({backoff(3) for _ in range(10)}) > 1


def test_waiting_is_between_half_and_all_of_what_doubling_says(monkeypatch):
    for draw in (0.5, 1.0):
        monkeypatch.setattr("random.uniform", lambda low, high, draw=draw: {0.5: low, 1.0: high}[draw])
        assert [backoff(failures) for failures in (1, 2, 3, 7, 8)] == [
            seconds * draw for seconds in (0.5, 1.0, 2.0, 30.0, 30.0)
        ]
        assert [backoff(1, wait) for wait in (7.0, 9999.0)] == [7.0 + 0.2 * draw, 120.0 + 0.2 * draw]


def test_the_text_is_one_short_line():
    text = trouble(ValueError("a\n b " + "x" * 1000)).text
    assert text.startswith("ValueError: a b x")
    assert len(text) == 300


@pytest.mark.parametrize("name", ["code", "type"])
def test_a_spent_quota_is_known_by_the_errors_own_attributes(name):
    error = StatusError(429)
    setattr(error, name, "insufficient_quota")
    assert trouble(error).spent
    setattr(error, name, "other")
    assert not trouble(error).spent
