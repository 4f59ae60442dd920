"""What becomes of calls that fail, hang or are refused."""

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
    assert (outcome.status, outcome.reason) == (
        Status.FAILED,
        "own/claims: HTTP 500: InternalServerError: Error code: 500 - the server is unwell, after 2 tries",
    )
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


def test_a_wrong_key_fails_everything_at_once_and_is_not_asked_on(server, judge, monkeypatch):
    monkeypatch.setattr(server, "_fault", lambda *_: "http401")
    monkeypatch.setattr(server, "_completion", _refused)
    with asking(limits=Limits(max_concurrency=2)) as account:
        outcomes = drive(flows(40), judge())
    assert {outcome.status for outcome in outcomes} == {Status.FAILED}
    assert "HTTP 401" in outcomes[-1].reason
    assert account.calls == 2


async def _refused(request, body):
    return 401, {}, {"error": {"message": "wrong key"}}


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
