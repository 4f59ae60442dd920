"""Shards of one run and the limits of the session."""

import pytest

import thresher
from thresher.judges import Limits, asking
from thresher.judges.session import current_session
from thresher.pipelines.plan import Plan

DATA = {"predicted_answers": ["a", "b", "c"], "ground_truth_answers": ["a", "b", "b"]}


@pytest.fixture
def seen(monkeypatch):
    """Concurrency and budget of the session in which each chunk is computed."""
    sessions, compute = [], Plan.compute

    def recorded(*arguments, **options):
        session = current_session()
        sessions.append((session.limits.max_concurrency, session.account.max_calls))
        return compute(*arguments, **options)

    monkeypatch.setattr(Plan, "compute", recorded)
    return sessions


@pytest.mark.parametrize(
    ("shard", "share"), [(None, (9, 10)), ((1, 2), (5, 5)), ((2, 2), (4, 5)), ((3, 3), (3, 3))]
)
def test_each_shard_computes_within_its_share(seen, tmp_path, shard, share):
    with asking(limits=Limits(max_concurrency=9), max_calls=10) as account:
        thresher.evaluate("exact_match", DATA, out=tmp_path / "run", chunk_size=1, shard=shard)
        assert account.max_calls == 10
    assert set(seen) == {share}
