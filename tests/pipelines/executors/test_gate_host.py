"""The gate that a driver hosts for the workers of a judged run."""

import json
from types import SimpleNamespace

import pytest

import thresher.components
from forked_workers import forked_workers
from judges.mock_server import MockServer, running
from judges.rag_items import columns, rag_items
from thresher.judges import Limits, asking, judge_named
from thresher.judges.session import current_session
from thresher.pipelines.executors.gate_host import hosted_gate
from thresher.pipelines.executors.worker_session import WorkerSession

__all__ = ["forked_workers"]


def job(*, judged, joined):
    return SimpleNamespace(is_judged=judged, join=joined.append)


def test_a_run_without_a_judge_has_no_gate():
    joined = []
    with hosted_gate(job(judged=False, joined=joined)) as address:
        assert address is None
    assert joined == []


def test_workers_ask_within_the_drivers_limits_and_what_is_left_of_its_budget():
    joined = []
    limits = Limits(max_concurrency=7, requests_per_minute=60)
    with asking(limits=limits, max_calls=10, cache=False) as account:
        account.calls = 4
        session = WorkerSession.of(current_session(), 3)
        with hosted_gate(job(judged=True, joined=joined)) as address:
            assert joined == [address]
            settings = vars(session) | {"gate": address}
            with WorkerSession(**settings).opened():
                worker = current_session()
                assert worker.gate is not None
                assert (worker.limits, worker.shards, worker.account.notes) == (limits, 1, [])
                assert (worker.account.max_calls, worker.account.left()[0]) == (6, 0)
            with session.opened():
                assert current_session().gate is None
                assert current_session().limits.max_concurrency == 2, "without a gate: its part"


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers")
def test_processes_share_one_budget(tmp_path):
    server = MockServer()
    server.reset(base_ms=20.0)
    with running(server) as url:
        metric = thresher.components.ValorContextRelevanceEvaluator(chat_generator=judge_named("mock", url))
        data = columns(rag_items(40))
        with (
            asking(max_calls=30, cache=False) as account,
            pytest.warns(match="the budget is used up"),
        ):
            run = thresher.evaluate([metric], data, out=tmp_path / "run", chunk_size=4, workers=2)
    assert 24 <= server.calls <= 30
    assert account.calls == server.calls
    assert account.spent
    assert not run.complete
    assert json.loads((tmp_path / "run" / "run.json").read_text())["complete"] is False
