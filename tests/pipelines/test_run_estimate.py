"""Estimates of size, calls and time, against runs that are then made."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

import thresher
from datasets.sources.chunked import use_small_blocks
from judges.mock_server import MockServer, running
from thresher import InputError
from thresher.components import ValorContextRelevanceEvaluator
from thresher.datasets import read_dataset
from thresher.datasets.sources import FileSource, open_source, opening
from thresher.judges import Limits, asking, judge_named
from thresher.pipelines import run_estimate, unfed
from thresher.pipelines.plan import Plan
from thresher.pipelines.run_estimate import CALL, START, estimate_run


def texts(number):
    return read_dataset(
        {
            "id": [f"item {n:06d}" for n in range(number)],
            "response": [f"the mill at place {n % 97} has {n % 5} wheels" for n in range(number)],
            "reference": [f"the mill at place {n % 97} has {n % 7} wheels" for n in range(number)],
        }
    )


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("number", "chunk_size"), [(400, 50), (3_000, 1_000)])
def test_size_and_files_are_close_to_those_of_the_run(number, chunk_size, tmp_path):
    data = texts(number)
    estimated = estimate_run(thresher.build(["token_f1", "rouge"]), data, chunk_size=chunk_size)
    thresher.evaluate(["token_f1", "rouge"], data, out=tmp_path / "run", chunk_size=chunk_size)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert (estimated.items, estimated.chunks, estimated.files) == (number, number // chunk_size, len(files))
    assert estimated.run_bytes == pytest.approx(size_of(tmp_path / "run"), rel=0.35)


def test_many_items_are_estimated_from_blocks_all_over_the_data(monkeypatch):
    monkeypatch.setattr(run_estimate, "MOST_COUNTED", 2_500)
    read, data = [], texts(50_000)

    class Spied:
        columns = data.columns

        def __len__(self):
            return 50_000

        def slice(self, start, stop):
            read.append((start, stop))
            return data.slice(start, stop)

    estimated = estimate_run(thresher.build(["token_f1"]), Spied())
    assert (estimated.items, estimated.measured) == (50_000, 2_000)
    assert (read[0], read[-1]) == ((0, 100), (49_900, 50_000))
    assert all(stop - start == 100 for start, stop in read)
    assert estimated.cpu_seconds > 0


def test_items_of_a_run_that_does_not_exist_scale_size_and_time():
    pipeline = thresher.build(["token_f1"])
    some = estimate_run(pipeline, texts(500), chunk_size=500)
    many = estimate_run(pipeline, texts(500), number=100_000_000)
    assert (many.items, many.measured, many.chunks) == (100_000_000, 500, 10_000)
    assert 1e4 < many.run_bytes / some.run_bytes < 2.5e5
    assert many.cpu_seconds > 0


@pytest.fixture
def work(monkeypatch):
    """A clock that advances with the rows that are indexed, read and scored, instead of with time."""
    clock = [0.0]

    def count(owner, name, seconds, rows):
        done = getattr(owner, name)

        def counted(*arguments, **options):
            result = done(*arguments, **options)
            clock[0] += seconds * rows(result, *arguments)
            return result

        monkeypatch.setattr(owner, name, counted)

    use_small_blocks(monkeypatch, 50)
    monkeypatch.setattr(run_estimate.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(unfed, "_FIRST", 1)  # the first items are read to see whether their texts are JSON
    count(FileSource, "slice", 0.002, lambda chunk, *_: len(chunk) if len(chunk) > 1 else 0)
    count(opening, "stage_rows", 0.003, lambda built, *_: built[0].size)
    count(Plan, "compute", 0.004, lambda part, *_: len(part.ids))
    return clock


def test_the_time_is_that_of_a_run_with_its_index_and_its_chunks(work, tmp_path):
    rows = [json.dumps({"id": f"i{n}", "response": "a", "reference": "b"}) + "\n" for n in range(1_500)]
    few, all_ = tmp_path / "few.jsonl", tmp_path / "all.jsonl"
    few.write_text("".join(rows[:150]))
    all_.write_text("".join(rows))
    pipeline = thresher.build(["exact_match"])
    thresher.evaluate(pipeline, all_, out=tmp_path / "run", chunk_size=500)
    assert work[0] == pytest.approx(1_500 * 0.009), "the clock of the test"
    for path in (few, all_):
        read = partial(lambda path, limit: open_source(path, limit=limit), path)
        some = estimate_run(pipeline, open_source(path), number=1_500, chunk_size=500, read=read)
        assert some.cpu_seconds - START == pytest.approx(1_500 * 0.009), path


def test_one_item_is_enough_and_none_is_not():
    assert estimate_run(thresher.build(["token_f1"]), texts(1)).chunks == 1
    with pytest.raises(InputError, match="no items to estimate from"):
        estimate_run(thresher.build(["token_f1"]), texts(1).slice(0, 0))


def test_workers_share_the_items_in_smaller_chunks():
    assert estimate_run(thresher.build(["token_f1"]), texts(800), workers=2).chunks == 8


def judged_data(number):
    return read_dataset(
        {
            "question": [f"What is built at place {n}?" for n in range(number)],
            "contexts": [[f"At place {n} is a mill.", f"Place {n} is hilly."] for n in range(number)],
        }
    )


def test_calls_scale_and_answers_have_about_the_size_of_the_cache(tmp_path):
    mock = MockServer()
    data = judged_data(60)
    with running(mock) as url:
        metric = ValorContextRelevanceEvaluator(judge_named("mock", url=url))
        estimated = estimate_run(thresher.build([metric]), data)
        assert mock.calls == 0
        with asking(cache=tmp_path / "answers.sqlite"):
            thresher.evaluate([metric], data, out=tmp_path / "run")
        many = estimate_run(thresher.build([metric]), data, number=6_000)
    assert estimated.calls.calls == mock.calls == 60
    assert many.calls.calls == 6_000
    assert many.calls.prompt_tokens == 100 * estimated.calls.prompt_tokens
    assert dict(many.calls.prompts) == {"valor/context_relevance": 6_000}
    assert many.cpu_seconds >= 6_000 * CALL
    assert estimated.answer_bytes == pytest.approx((tmp_path / "answers.sqlite").stat().st_size, rel=0.6)
    assert estimated.run_bytes == pytest.approx(size_of(tmp_path / "run"), rel=0.5)


def test_the_time_of_a_judged_run_is_that_of_its_items_and_its_calls(work, tmp_path):
    mock = MockServer()
    path = tmp_path / "rows.jsonl"
    rows = ({"id": f"i{n}", "question": f"Which {n}?", "contexts": ["A mill.", "Hilly."]} for n in range(150))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with running(mock) as url:
        pipeline = thresher.build([ValorContextRelevanceEvaluator(judge_named("mock", url=url))])
        thresher.evaluate(pipeline, path, out=tmp_path / "run", chunk_size=50)
        run = work[0] + mock.calls * CALL
        read = partial(lambda limit: open_source(path, limit=limit))
        estimated = estimate_run(pipeline, open_source(path), chunk_size=50, read=read)
    assert mock.calls == 150
    assert estimated.cpu_seconds - START == pytest.approx(run)


def test_the_assumed_time_of_a_call_is_near_the_documented_measurements():
    page = (Path(__file__).parents[2] / "docs/performance.md").read_text(encoding="utf-8")
    rows = re.findall(r"calls?(?: an item)? \| ([\d.]+) \| ([\d.]+) \|", page)
    assert len(rows) == 4
    for run, estimate in rows:
        assert 1 / 1.5 <= float(estimate) / float(run) <= 1.5
        assert 0 < float(estimate) / 1000 - CALL < 0.001, "the rest is building prompts and storing"


def test_hours_follow_from_each_limit():
    metric = ValorContextRelevanceEvaluator(judge_named("mock", url="http://127.0.0.1:9/v1"))
    estimated = estimate_run(thresher.build([metric]), judged_data(60), number=6_000)
    limits = Limits(max_concurrency=10, requests_per_minute=100, tokens_per_minute=1_000)
    hours = estimated.hours(limits, latency=2.0)
    tokens = estimated.calls.prompt_tokens + estimated.calls.completion_tokens
    assert hours == pytest.approx(
        {
            "calls at once": 1 / 3,
            "processor time": estimated.cpu_seconds / 3600,
            "requests per minute": 1.0,
            "tokens per minute": tokens / 60_000,
        }
    )
    without_rates = estimated.hours(Limits(), latency=2.0, workers=4)
    assert hours.keys() > without_rates.keys() == {"calls at once", "processor time"}
    assert without_rates["processor time"] == pytest.approx(estimated.seconds(4) / 3600)
    assert estimated.seconds(4) == estimated.serial_seconds + estimated.divided_seconds / 4
