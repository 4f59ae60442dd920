"""What becomes of calls that fail, hang or are refused."""

import contextvars
import re
import threading
import time

import pytest

from judges.asked import EXPECTED, flow, flows, values
from thresher.errors import InputError
from thresher.judges import Limits, Texts, asking, drive
from thresher.results import Status


def test_the_schema_is_sent_and_the_client_does_not_retry(server, judge):
    server.reset(faults={"http500": 1.0})
    with asking(limits=Limits(max_tries=2)) as account:
        (outcome,) = drive([flow()], judge(max_retries=5))
    assert outcome.status == Status.FAILED
    # OpenAI's client writes the reply's body or only its message, which depends on the client's version.
    reason = "own/claims: HTTP 500: InternalServerError: Error code: 500 - .*is unwell.*, after 2 tries"
    assert re.fullmatch(reason, str(outcome.reason))
    assert (server.calls, account.calls, dict(account.failures)) == (2, 2, {"HTTP 500": 2})
    form = server.bodies[0]["response_format"]
    assert form["json_schema"] == {"name": "claims", "strict": True, "schema": Texts("claims").json_schema()}


def test_a_call_that_hangs_is_given_up_after_its_time_out_and_asked_again(server, judge):
    server.reset(base_ms=1, faults={"hang": 0.1}, seed=3)
    start = time.perf_counter()
    with asking(limits=Limits(timeout=2.0)) as account:
        outcomes = drive(flows(40), judge())
    assert values(outcomes) == EXPECTED
    assert account.failures == {"no answer within 2 s": server.faults["hang"]}
    assert server.faults["hang"] > 1
    assert time.perf_counter() - start < 30, "a hang lasts 60 s; nobody waits for its end"


def test_the_time_out_does_not_count_queueing(server, judge):
    server.reset(base_ms=300)
    with asking(limits=Limits(timeout=2.0, max_concurrency=1)) as account:
        outcomes = drive(flows(8), judge())
    assert values(outcomes) == EXPECTED[:8]
    assert not account.failures


def test_the_generator_s_own_time_out_holds_where_the_limits_name_none(server, judge):
    server.reset(faults={"hang": 1.0})
    with asking(limits=Limits(max_tries=1)):
        (outcome,) = drive([flow()], judge(timeout=0.3))
    assert "no answer within 0.3 s" in outcome.reason


QUOTA = {"message": "Check your plan.", "type": "insufficient_quota", "code": "insufficient_quota"}
LOST = pytest.mark.parametrize(
    ("status", "error"), [(401, {}), (402, {}), (403, {}), (404, {}), (429, QUOTA)]
)


@LOST
def test_after_a_rejection_nothing_is_sent_but_what_was_in_flight(server, judge, status, error):
    server.reset(base_ms=20, rejects_after=0, rejects_with=status, error={"message": "no", **error})
    with asking(limits=Limits(max_concurrency=16)) as account:
        outcomes = drive(flows(100), judge())
    assert {outcome.status for outcome in outcomes} == {Status.FAILED}
    assert all(f"HTTP {status}" in outcome.reason for outcome in outcomes)
    assert server.calls <= 16
    assert account.lost.total() == 100


@LOST
def test_a_rejection_stops_every_metric_that_asks_the_same_judge(server, judge, status, error):
    server.reset(base_ms=20, rejects_after=0, rejects_with=status, error={"message": "no", **error})
    with asking(limits=Limits(max_concurrency=4), cache=False) as account:
        metrics = [[flow(f"{name} {number}") for number in range(30)] for name in ("one", "two", "three")]
        drives = [threading.Thread(target=_drive_in(metric, judge())) for metric in metrics]
        for thread in drives:
            thread.start()
        for thread in drives:
            thread.join()
    assert server.calls <= 4
    assert account.lost.total() == 90


def _drive_in(flow_list, one):
    context = contextvars.copy_context()
    return lambda: context.run(drive, flow_list, one)


def test_a_rejection_in_the_middle_stops_what_is_left(server, judge):
    server.reset(base_ms=20, rejects_after=30, rejects_with=401)
    with asking(limits=Limits(max_concurrency=8)) as account:
        outcomes = drive(flows(100), judge())
    assert 30 - 8 < sum(outcome.status is Status.SCORED for outcome in outcomes) <= 30
    assert server.calls <= 30 + 8
    assert account.lost.total() + 30 == 100


def test_requests_that_wait_for_the_rate_are_not_sent_after_a_rejection(server, judge):
    server.reset(rejects_after=0, rejects_with=401)
    with asking(limits=Limits(max_concurrency=8, requests_per_minute=20)):
        drive(flows(3), judge())
    assert server.calls == 2, "the third may be sent after three seconds, long after the rejections"


def test_blocking_judges_stop_after_a_rejection_as_well():
    class RejectedError(Exception):
        status_code = 401

    class Judge:
        calls = 0

        def run(self, messages):  # noqa: ARG002
            self.calls += 1
            raise RejectedError

    one = Judge()
    with asking(limits=Limits(max_concurrency=4)):
        drive(flows(40), one)
    assert one.calls <= 4


def test_a_limited_rate_is_no_reason_to_stop_asking(server, judge, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    server.reset(rejects_after=0, rejects_with=429)
    with asking(limits=Limits(max_concurrency=2, max_tries=3)) as account:
        outcomes = drive(flows(30), judge())
    assert server.calls == 90, "each ask is tried to its end, however many were given up before it"
    assert {outcome.reason.partition(":")[2][:9] for outcome in outcomes} == {" HTTP 429"}
    assert account.lost == {"HTTP 429 (RateLimitError)": 30}


def test_an_unwell_server_is_not_asked_on(server, judge, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    server.reset(rejects_after=30, rejects_with=503)
    with asking(limits=Limits(max_concurrency=4, max_tries=3)) as account:
        outcomes = drive(flows(100), judge())
    scored = sum(outcome.status is Status.SCORED for outcome in outcomes)
    assert scored == 30
    assert server.calls < 30 + 3 * 20
    assert account.lost == {"HTTP 503 (InternalServerError)": 70}


def test_asks_that_stay_unanswered_beside_others_fail_alone(server, judge, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.05)
    server.reset(base_ms=5, faults={"http500": 0.3}, sticky=True, seed=4)
    with asking(limits=Limits(max_concurrency=2, max_tries=2)) as account:
        outcomes = drive(flows(40), judge())
    failed = sum(outcome.status is Status.FAILED for outcome in outcomes)
    assert 8 < failed < 20
    assert not account.lost


@pytest.mark.parametrize("refused", ["response_format", "temperature"])
def test_parameters_that_a_provider_refuses_are_left_out_and_noted(server, judge, refused):
    server.reset(refuses=(refused,))
    with asking() as account:
        outcomes = drive(flows(30), judge())
    assert values(outcomes) == EXPECTED[:30]
    assert refused in account.notes[0]
    assert refused not in server.bodies[-1]


def test_what_is_no_generator_is_told():
    with pytest.raises(InputError, match="chat_generator is str; give a Haystack ChatGenerator"):
        drive([flow()], "gpt-4")


def test_a_judge_without_a_key_is_told_before_anything_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match=r"cannot be used: .*OPENAI_API_KEY"):
        drive(flows(3))


def test_an_address_that_does_not_listen_is_not_tried_by_every_ask(judge):
    limits = Limits(max_tries=3, max_concurrency=8)
    with asking(limits=limits) as account:
        outcomes = drive(flows(200), judge(api_base_url="http://127.0.0.1:9/v1"))
    assert {outcome.status for outcome in outcomes} == {Status.FAILED}
    assert account.calls <= 2 * 8 * 3, "slots are held while their asks wait; 200 asks would try 600 times"
