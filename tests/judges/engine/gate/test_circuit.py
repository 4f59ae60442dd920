"""Circuit breaker over all workers."""

from thresher.judges.engine.gate import Gate, GateLimits, LeaseRequest
from thresher.judges.engine.gate.messages import JudgeState


def calls(*states, concurrency=4):
    """Judges that get no further request after each report of `(worker, answers, row)`."""
    gate = Gate(GateLimits(max_concurrency=concurrency))
    seen = []
    for worker, answers, row, *rejected in states:
        state = JudgeState(answers, row, "HTTP 500: no", bool(rejected))
        seen.append(dict(gate.lease(LeaseRequest(worker, judges={"judge": state})).silent))
    return seen


def test_asks_given_up_by_all_workers_count_together():
    lost = calls(("a", 5, 0), ("a", 5, 3), ("b", 0, 4), ("c", 0, 0), ("c", 0, 1))
    assert lost[:-1] == [{}] * 4
    assert lost[-1] == {"judge": "not asked, as the judge stopped answering: HTTP 500: no"}


def test_more_slots_need_more_asks_given_up():
    assert calls(("a", 0, 8), ("b", 0, 3), concurrency=12) == [{}, {}]
    assert calls(("a", 0, 8), ("b", 0, 4), concurrency=12)[-1]


def test_an_answer_anywhere_begins_anew():
    assert calls(("a", 0, 7), ("b", 1, 0), ("a", 0, 7), ("c", 0, 7)) == [{}] * 4
    assert calls(("a", 0, 7), ("b", 1, 2), ("c", 0, 5)) == [{}] * 3
    assert calls(("a", 0, 7), ("b", 1, 2), ("c", 0, 6))[-1]


def test_an_answer_closes_the_circuit_unless_the_judge_rejects_all():
    assert calls(("a", 0, 8), ("b", 1, 0))[-1] == {}
    assert calls(("a", 0, 0, "rejected"), ("b", 1, 0))[-1] == {"judge": "HTTP 500: no"}


def test_a_new_attempt_of_a_worker_is_counted_from_nothing():
    assert calls(("a", 9, 3), ("a", 0, 2), ("b", 0, 2)) == [{}] * 3
    assert calls(("a", 9, 3), ("a", 0, 2), ("b", 0, 3))[-1]
