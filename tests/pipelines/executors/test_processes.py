"""Worker processes: equal parts, and what is lost when a worker or the driver ends."""

import itertools
import json
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from forked_workers import forked_workers
from pipelines.executors.harmful import HarmfulEvaluator
from pipelines.judged_runs import ended_with_the_test, mock_judge, write_items
from processes import Forked, run
from thresher import evaluate, open_run, verify_run
from waiting import settled, wait_until

__all__ = ["forked_workers"]

pytestmark = pytest.mark.slow
ANSWERS = {
    "questions": [f"question {n}" for n in range(11)],
    "predicted_answers": ["Paris", "", "the 3rd", "x", None] * 2 + ["y"],
    "ground_truth_answers": ["Paris", "Rome", "3rd", None, "z"] * 2 + ["y"],
}
PROGRAM = """
import os, sys
from thresher.cli.main import main
os.setpgid(0, 0)
print("ready", flush=True)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def server():
    with mock_judge(100.0) as server:
        yield server


@pytest.fixture
def begin(server, tmp_path):
    """Start `thresher run` with two workers that ask the server, in a process group of its own."""
    data = write_items(tmp_path, 60)
    with ended_with_the_test() as begun:

        def started(*more):
            options = ["--data", data, "--out", tmp_path / "run", "--chunk-size", 5, "--quiet"]
            options += ["--workers", 2]
            judge = ["--judge-model", "mock", "--judge-url", server.url, "--max-concurrency", 2]
            begun.append(Forked(PROGRAM, "run", "valor_context_relevance,token_f1", *options, *judge, *more))
            return begun[-1]

        yield started


def parts(folder):
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}


def workers_of(driver):
    """Processes of the driver's group, apart from itself."""
    group = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == driver.pid and int(process.name) != driver.pid and fields[0] != "Z":
            group.append(int(process.name))
    return group


def asked(tmp_path):
    return [line.split(" ", 1)[1] for line in (tmp_path / "log").read_text().splitlines()]


def test_parts_and_reports_have_the_same_bytes(tmp_path):
    here = evaluate("qa", ANSWERS, out=tmp_path / "here", chunk_size=2)
    there = evaluate("qa", ANSWERS, out=tmp_path / "there", chunk_size=2, workers=2)
    assert parts(tmp_path / "here") == parts(tmp_path / "there")
    assert here.individual_aggregate_score_report("csv") == there.individual_aggregate_score_report("csv")
    assert there.complete


def test_a_worker_that_dies_costs_its_chunk_only(tmp_path):
    questions = [f"q{n}" for n in range(10)]
    questions[3] = "kill once"
    metric = HarmfulEvaluator(str(tmp_path / "log"), seconds=0.05)
    with pytest.warns(RuntimeWarning, match="a worker process was killed or crashed"):
        results = evaluate([metric], {"questions": questions}, out=tmp_path / "run", chunk_size=1, workers=2)
    assert (len(results), results.complete) == (10, True)
    assert results.results[0].item_scores().tolist() == [float(len(question)) for question in questions]
    assert len(asked(tmp_path)) <= 10 + 2, "the chunks that the two workers were computing"
    assert not list((tmp_path / "run").rglob("*.tmp"))


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("call", [5, 7])
def test_a_chunk_that_is_sent_when_a_worker_has_died_is_computed(tmp_path, monkeypatch, call):
    calls, submit = itertools.count(1), ProcessPoolExecutor.submit

    def broken(pool, *arguments):
        if next(calls) == call:
            raise BrokenProcessPool("a worker died after the last outcome")
        return submit(pool, *arguments)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    metric = HarmfulEvaluator(str(tmp_path / "log"))
    data = {"questions": [f"q{n}" for n in range(10)]}
    with pytest.warns(RuntimeWarning, match="was killed or crashed"):
        results = evaluate([metric], data, out=tmp_path / "run", chunk_size=1, workers=2)
    assert (len(results), results.complete) == (10, True)


@pytest.mark.usefixtures("forked_workers")
def test_a_chunk_that_kills_its_workers_is_given_up_and_named(tmp_path):
    questions = [f"q{n}" for n in range(10)]
    questions[3] = "kill"
    metric = HarmfulEvaluator(str(tmp_path / "log"), seconds=0.05)
    given_up = r"chunk 3 \(items 4 to 4\) was given up: its process died 3 times"
    with pytest.warns(match=given_up), pytest.warns(RuntimeWarning, match="was killed or crashed"):
        results = evaluate([metric], {"questions": questions}, out=tmp_path / "run", chunk_size=1, workers=2)
    assert (len(results), results.complete) == (9, False)
    assert asked(tmp_path).count("kill") == 3
    assert {file.state for file in verify_run(tmp_path / "run").files} == {"whole", "missing"}


def test_a_given_up_chunk_leads_to_exit_code_3(tmp_path):
    (tmp_path / "data.jsonl").write_text("\n".join(json.dumps({"question": q}) for q in ("a", "kill", "b")))
    pipeline = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pipelines.executors.harmful import HarmfulEvaluator
from thresher import build
build([HarmfulEvaluator({str(tmp_path / "log")!r})]).dump(open("p.yaml", "w"))
from thresher.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    plugin = ["--plugin", "pipelines.executors.harmful"]
    options = [*plugin, "--data", "data.jsonl", "--out", "out", "--chunk-size", 1, "--workers", 2]
    ended = run(pipeline, "run", "p.yaml", *options, folder=tmp_path)
    assert ended.returncode == 3, ended.stderr
    assert "2 of 3 items are done, because chunk 1 (items 2 to 2) was given up" in ended.stdout


def test_a_script_that_starts_workers_when_it_is_imported_is_stopped_with_a_remedy(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"from thresher import evaluate\nevaluate('exact_match', {ANSWERS!r}, out='run', workers=2)\n"
    )
    code = (
        f"import sys\nmain = sys.modules['__main__']\nmain.__file__ = {str(script)!r}\n"
        "exec(compile(open(main.__file__).read(), main.__file__, 'exec'), vars(main))"
    )
    ended = run(code, folder=tmp_path)
    assert "below `if __name__ == '__main__':`" in ended.stderr
    assert "worker processes end before they compute anything" in ended.stderr
    assert ended.returncode == 1


def test_workers_stop_asking_when_their_driver_is_killed_and_the_next_run_continues(begin, server, tmp_path):
    driver = begin()
    wait_until(lambda: server.calls > 20)
    workers = workers_of(driver)
    assert len(workers) >= 2
    driver.kill()
    driver.wait(10)
    wait_until(lambda: not workers_of(driver), 2.0)
    calls = settled(lambda: server.calls)  # requests of the killed workers may still wait for the server
    time.sleep(1.0)
    assert server.calls == calls
    committed = len(parts(tmp_path / "run"))
    again = begin()
    assert again.wait(120) == 0
    assert open_run(tmp_path / "run").complete
    assert len(parts(tmp_path / "run")) == 12 > committed
    assert len(server.seen) == 60
    assert server.calls <= 60 + 2 * 2, "asked again: what was in flight"
    assert not list((tmp_path / "run").rglob("*.tmp"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_the_workers_and_says_how_to_continue(begin, server, tmp_path, number):
    driver = begin()
    wait_until(lambda: server.calls > 20)
    os.killpg(driver.pid, number)
    _, errors = driver.communicate(timeout=10)
    assert driver.returncode == 3
    assert errors.splitlines()[-1] == (
        "thresher: interrupted; finished chunks are stored, run the same command again to continue"
    )
    wait_until(lambda: not workers_of(driver), 2.0)  # a helper of multiprocessing ends a moment later
    assert begin().wait(120) == 0
    assert open_run(tmp_path / "run").complete
    assert len(server.seen) == 60


def test_workers_of_a_command_are_forks_of_a_process_that_has_imported(begin, server):
    driver = begin()
    wait_until(lambda: server.calls > 20)
    commands = [Path(f"/proc/{worker}/cmdline").read_bytes() for worker in workers_of(driver)]
    assert sum(b"forkserver" in command for command in commands) == 1 + 2, "the process and two workers"
    assert not any(b"spawn_main" in command for command in commands)


def test_workers_share_one_budget_and_the_next_run_continues(begin, server, tmp_path):
    driver = begin("--max-calls", 25)
    printed, errors = driver.communicate(timeout=120)
    assert driver.returncode == 3, errors
    assert "The budget is used up" in printed
    asked = server.calls
    assert 25 // 2 < asked <= 25, "more than a worker's half, and never more than the budget"
    assert f"{asked} calls to the judge" in printed
    assert begin().wait(120) == 0
    assert len(server.seen) == 60
    assert open_run(tmp_path / "run").complete


def test_workers_write_prompts_in_the_order_of_the_driver(begin, server, tmp_path):
    driver = begin("--prompt-order", "contexts-first")
    _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors
    assert len(server.bodies) == 60
    assert all(body["messages"][-1]["content"].startswith("<contexts ") for body in server.bodies)
    signatures = [str(result.measures[0].signature) for result in open_run(tmp_path / "run").results]
    assert any("prompt_order:contexts_first" in signature for signature in signatures)
