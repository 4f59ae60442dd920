"""Tasks that are pickled and computed elsewhere give the same parts, usage, warnings and errors as here."""

import pytest
from haystack.components.generators.chat import MockChatGenerator

from pipelines.counting import CountingEvaluator
from pipelines.executors.elsewhere import Elsewhere, use
from pipelines.executors.harmful import HarmfulEvaluator
from thresher import evaluate, open_run
from thresher.components import ValorCoherenceEvaluator
from thresher.errors import ComponentError, DamagedRunError, DataWarning, InputError
from thresher.judges import Limits, Prices, asking
from thresher.pipelines import stored_parts
from thresher.pipelines.executors.messages import captured
from thresher.pipelines.executors.outcome import ChunkOutcome, ChunkProblem
from thresher.pipelines.run_directory import RunDirectory

ANSWERS = {
    "questions": [f"question {n}" for n in range(9)],
    "predicted_answers": ["Paris", "", "the 3rd", "x"] * 2 + [None],
    "ground_truth_answers": ["Paris", "Rome", "3rd", None] * 2 + ["y"],
}


def parts(folder):
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}


def judged(reply='{"reason": "r", "rating": 4}'):
    return [ValorCoherenceEvaluator(MockChatGenerator(reply))]


def test_parts_and_reports_have_the_same_bytes(tmp_path, monkeypatch):
    use(monkeypatch)
    here = evaluate("qa", ANSWERS, out=tmp_path / "here", chunk_size=2)
    there = evaluate("qa", ANSWERS, out=tmp_path / "there", chunk_size=2, engine="elsewhere")
    assert parts(tmp_path / "here") == parts(tmp_path / "there")
    for form in ("markdown", "csv"):
        assert here.individual_aggregate_score_report(form) == there.individual_aggregate_score_report(form)
    assert there.complete


def test_parts_of_workers_are_verified_while_others_are_computed(tmp_path, monkeypatch):
    reads, before_close = [], []
    read, close = stored_parts.read_facts_of, RunDirectory.close
    monkeypatch.setattr(
        stored_parts, "read_facts_of", lambda *a, **k: reads.append(a[0].name) or read(*a, **k)
    )
    monkeypatch.setattr(RunDirectory, "close", lambda *a: before_close.extend(reads) or close(*a))
    use(monkeypatch)
    evaluate("qa", ANSWERS, out=tmp_path / "run", chunk_size=2, engine="elsewhere")
    assert len(before_close) == len(set(before_close)) == 5
    assert reads == before_close


def test_a_part_that_changes_after_its_outcome_is_verified_again(tmp_path, monkeypatch):
    close = RunDirectory.close

    def damage_and_close(directory, session):
        part = tmp_path / "run" / "parts" / "part-00001.parquet"
        part.write_bytes(part.read_bytes()[:-50] + bytes(50))
        close(directory, session)

    monkeypatch.setattr(RunDirectory, "close", damage_and_close)
    use(monkeypatch)
    with pytest.raises(DamagedRunError, match="part-00001"):
        evaluate("qa", ANSWERS, out=tmp_path / "run", chunk_size=2, engine="elsewhere")
    assert not RunDirectory.open(tmp_path / "run").manifest["complete"]


def test_tasks_carry_their_own_chunk_and_no_other(tmp_path, monkeypatch):
    executor = use(monkeypatch)
    data = {**ANSWERS, "questions": ["x" * 5000] * 9}
    evaluate("qa", data, out=tmp_path / "run", chunk_size=1, engine="elsewhere")
    assert len(executor.sizes) == 9
    assert max(executor.sizes) - min(executor.sizes) < 300
    assert max(executor.sizes) < 30_000


def test_the_drivers_account_has_what_the_workers_asked(tmp_path, monkeypatch):
    use(monkeypatch)
    data = {"response": [f"Answer {n}." for n in range(9)]}
    with asking(prices=Prices.parse("in=1,out=2")) as account:
        results = evaluate(judged(), data, out=tmp_path / "run", chunk_size=4, engine="elsewhere")
    assert (account.calls, account.answers) == (9, 9)
    (asked,) = results.provenance["asking"]
    assert asked["calls"] == 9
    assert results.metrics["valor_coherence"].result.n_scored == 9


def test_workers_stop_when_their_part_of_the_budget_is_used_up(tmp_path, monkeypatch):
    use(monkeypatch)
    data = {"response": [f"Answer {n}." for n in range(20)]}
    with asking(max_calls=9, cache=False) as account, pytest.warns(match="the budget is used up"):
        results = evaluate(judged(), data, out=tmp_path / "run", chunk_size=2, engine="elsewhere")
    assert account.calls == 3, "one worker of three"
    assert account.spent
    assert not results.complete
    with asking():
        assert evaluate(judged(), data, out=tmp_path / "run").complete


def test_a_budget_that_ends_between_two_chunks_is_reported(tmp_path, monkeypatch):
    use(monkeypatch)
    data = {"response": [f"Answer {n}." for n in range(6)]}
    with asking(max_calls=6, cache=False) as account, pytest.warns(match="the budget is used up"):
        evaluate(judged(), data, out=tmp_path / "run", chunk_size=2, engine="elsewhere")
    assert account.calls == 2, "the part of one worker of three: one whole chunk"
    assert account.spent, "though the chunk that was refused made no call"


def test_warnings_and_log_records_arrive_once(tmp_path, monkeypatch, caplog):
    use(monkeypatch)
    data = {"questions": ["warn", "warn", "a"]}
    metric = HarmfulEvaluator(str(tmp_path / "log"))
    with pytest.warns(DataWarning, match="a question warns") as warned:
        evaluate([metric], data, out=tmp_path / "run", chunk_size=1, engine="elsewhere")
    assert len([warning for warning in warned if "a question warns" in str(warning.message)]) == 1
    assert [record.getMessage() for record in caplog.records] == ["a question is logged"]


def test_an_error_has_the_class_and_words_of_one_here(tmp_path, monkeypatch):
    use(monkeypatch)
    metric = [CountingEvaluator(str(tmp_path / "log"), fail_on="question 5")]
    with pytest.raises(ComponentError) as here:
        evaluate(metric, ANSWERS, out=tmp_path / "here", chunk_size=2)
    with pytest.raises(ComponentError) as there:
        evaluate(metric, ANSWERS, out=tmp_path / "there", chunk_size=2, engine="elsewhere")
    assert str(here.value) == str(there.value)
    assert parts(tmp_path / "here") == parts(tmp_path / "there")


def test_what_is_no_error_of_ours_becomes_one():
    problem = ChunkProblem.of(KeyError("a"))
    assert (problem.kind, str(problem.error())) == (ComponentError, "unexpected KeyError: 'a'")


def test_a_pipeline_that_cannot_be_sent_is_refused_by_the_name_of_its_component(tmp_path, monkeypatch):
    use(monkeypatch)

    class Local:
        def run(self, messages):
            return MockChatGenerator("x").run(messages)

    with pytest.raises(InputError, match=r"component 'valor_coherence' .* cannot be serialised"):
        evaluate(
            [ValorCoherenceEvaluator(Local())], {"response": ["a"]}, out=tmp_path / "r", engine="elsewhere"
        )


def test_a_listener_is_refused(tmp_path, monkeypatch):
    use(monkeypatch)
    with asking(listener=print), pytest.raises(InputError, match="neither call a listener"):
        evaluate(judged(), {"response": ["a"]}, out=tmp_path / "run", engine="elsewhere")


def test_a_worker_with_other_versions_is_refused(tmp_path, monkeypatch):
    use(monkeypatch)
    original = RunDirectory.open.__func__

    def of_another_version(cls, path):
        directory = original(cls, path)
        directory.manifest["signatures"] = dict.fromkeys(directory.manifest["signatures"], "other")
        return directory

    metric = [CountingEvaluator(str(tmp_path / "log"))]
    evaluate(metric, ANSWERS, out=tmp_path / "first", chunk_size=2)
    monkeypatch.setattr(RunDirectory, "open", classmethod(of_another_version))
    with pytest.raises(InputError, match=r"computes 'length' differently: its packages are"):
        evaluate(metric, ANSWERS, out=tmp_path / "run", chunk_size=2, engine="elsewhere")


def test_a_task_whose_chunk_is_committed_computes_nothing(tmp_path, monkeypatch):
    class Twice(Elsewhere):
        def execute(self, job, numbers):
            tasks = [job.task(number) for number in numbers]
            for task in tasks:
                yield task()
                assert task() == ChunkOutcome(task.number, task.setup and 3), (
                    "as an engine does when a node dies"
                )

    use(monkeypatch, Twice())
    metric = [CountingEvaluator(str(tmp_path / "log"))]
    evaluate(metric, ANSWERS, out=tmp_path / "run", chunk_size=3, engine="elsewhere")
    assert len((tmp_path / "log").read_text().splitlines()) == 3


def test_failed_items_are_computed_again_elsewhere(tmp_path, monkeypatch):
    use(monkeypatch)
    data = {"response": ["a", "b", "c"]}
    with asking(limits=Limits(max_tries=1), cache=False):
        first = evaluate(judged("?"), data, out=tmp_path / "run", chunk_size=2)
    assert first.metrics["valor_coherence"].result.n_scored == 0
    with asking(cache=False) as account:
        options = {"chunk_size": 2, "engine": "elsewhere", "retry_failed": True}
        evaluate(judged("?"), data, out=tmp_path / "run", **options)
    assert account.calls


def test_a_chunk_that_is_given_up_is_named_and_the_others_are_there(tmp_path, monkeypatch):
    class Losing(Elsewhere):
        def execute(self, job, numbers):
            for number in numbers:
                yield ChunkOutcome(number, given_up="it was lost") if number == 1 else job.task(number)()

    use(monkeypatch, Losing())
    metric = [CountingEvaluator(str(tmp_path / "log"))]
    with pytest.warns(match=r"because chunk 1 \(items 4 to 6\) was given up: it was lost"):
        results = evaluate(metric, ANSWERS, out=tmp_path / "run", chunk_size=3, engine="elsewhere")
    assert (len(results), results.complete, results.provenance["given_up"]) == (6, False, [1])
    whole = evaluate(metric, ANSWERS, out=tmp_path / "run")
    assert (len(whole), whole.complete) == (9, True)
    assert "given_up" not in open_run(tmp_path / "run").provenance


def test_a_run_of_which_every_chunk_is_given_up_is_an_error(tmp_path, monkeypatch):
    class Losing(Elsewhere):
        def execute(self, _job, numbers):
            yield from (ChunkOutcome(number, given_up="it was lost") for number in numbers)

    use(monkeypatch, Losing())
    with pytest.raises(ComponentError, match=r"chunk 0 .* chunk 2 \(items 3 to 3\) .*; and 6 more"):
        evaluate("qa", ANSWERS, out=tmp_path / "run", chunk_size=1, engine="elsewhere")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers=0 must be a whole number"),
        ({"workers": True}, "workers=True must be"),
        ({"engine": 3}, "engine=3 must be the name"),
        ({"engine": "proceses", "workers": 2}, "did you mean 'processes'"),
        ({"address": "auto"}, "give engine="),
        ({"workers": 2, "out": None}, "give out="),
    ],
)
def test_options_that_cannot_work_are_refused(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        evaluate("qa", ANSWERS, **{"out": tmp_path / "run", **options})


@pytest.mark.parametrize(
    ("items", "workers", "size"),
    [(10**6, 1, 10_000), (10**6, 4, 10_000), (8000, 4, 500), (9, 4, 100)],
)
def test_every_worker_has_chunks(items, workers, size):
    from thresher.pipelines.runner import default_chunk_size

    assert default_chunk_size(items, workers) == size


def test_a_worker_that_logs_without_end_sends_the_first_messages_only():
    import logging

    with captured() as messages:
        for number in range(300):
            logging.getLogger("x").warning("message %d", number)
    assert len(messages) == 101
    assert messages[-1].text == "200 further messages of a worker are left out"
