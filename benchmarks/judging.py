"""Judged metrics of Thresher and other libraries: calls, time, and scores that survive a failing server.

    python benchmarks/judging.py [--peers ragas=PYTHON,deepeval=PYTHON,...] [--items 100] [--repeats 3]
    python benchmarks/judging.py --faults http429,http500,malformed,hang,length,refusal,empty
    python benchmarks/judging.py --restart
    python benchmarks/judging.py --calls
    python benchmarks/judging.py --every-metric [--latency 50]
    python benchmarks/judging.py --client-cost --items 300 [--latency 5]
    python benchmarks/judging.py --prefixes
    python benchmarks/judging.py --orders --judge gguf:FILE --items 20

Every library judges the same items, whose true scores are known, with the same server on this machine, which
replies after 50 ms plus half a millisecond per token. Each library runs in the Python that has it installed;
others are skipped with a message. All connections use the loopback interface.
"""

import argparse
import os
import sys
import tempfile
from statistics import median

from judging_orders import orders
from judging_prefixes import prefixes
from judging_runs import CONCURRENCY, JUDGES, Runs, Server

sys.path.insert(0, str(JUDGES))

from rag_items import rag_items

ROWS = {
    "thresher": ("thresher", "thresher_pipeline.py", ""),
    "thresher, claims from statements": ("thresher", "thresher_pipeline.py", "statements"),
    "thresher, pipeline run blocking": ("thresher", "thresher_pipeline.py", "sync"),
    "ragas evaluate": ("ragas", "ragas_evaluate.py", ""),
    "DeepEval evaluate": ("deepeval", "deepeval_evaluate.py", ""),
    "LlamaIndex batch runner (3 metrics)": ("llamaindex", "llamaindex_batch.py", ""),
    "Haystack pipeline (2 metrics)": ("haystack", "haystack_pipeline.py", ""),
    "Inspect (4 graders)": ("inspect", "inspect_eval.py", ""),
}
UNDER_FAULTS = {
    "thresher": ("thresher", "thresher_pipeline.py", "timeout=20"),
    "ragas evaluate": ("ragas", "ragas_evaluate.py", ""),
    "DeepEval, ignoring errors": ("deepeval", "deepeval_evaluate.py", "ignore"),
    "LlamaIndex batch runner (3 metrics)": ("llamaindex", "llamaindex_batch.py", ""),
    "Haystack, not raising (2 metrics)": ("haystack", "haystack_pipeline.py", "noraise"),
    "Inspect (4 graders)": ("inspect", "inspect_eval.py", ""),
}
FAULTS = {
    "none": {},
    "http429": {"faults": {"http429": 0.1}, "retry_after": 1},
    "http500": {"faults": {"http500": 0.1}},
    "malformed": {"faults": {"malformed": 0.1}},
    "hang": {"faults": {"hang": 0.01}},
    "length": {"faults": {"length": 0.1}},
    "refusal": {"faults": {"refusal": 0.1}},
    "empty": {"faults": {"empty": 0.1}},
    "missing": {"faults": {"missing": 0.1}},
    "broken_body": {"faults": {"broken_body": 0.1}},
    "sticky500": {"faults": {"http500": 0.01}, "sticky": True},
    "stickymalformed": {"faults": {"malformed": 0.02}, "sticky": True},
}
RAG = ("valor_faithfulness", "valor_answer_relevance", "valor_context_precision", "valor_context_recall")
EVERY = ("thresher", "every_metric.py", "")
CLIENT_COST = ("thresher", "client_cost.py", "concurrency=32")
ORIGIN_CALLS = {
    "argument_correctness": 1, "citation_support": 1, "conversation_completeness": 5, "custom_judge": 1,
    "fair_pairwise": 6, "geval": 5, "goal_accuracy": 2, "knowledge_retention": 4, "plan_adherence": 3,
    "role_adherence": 1, "step_efficiency": 2, "task_completion": 2, "topic_adherence": 6,
    "turn_relevance": 2, "haystack_context_relevance": 1, "haystack_faithfulness": 1, "judge_lm": 1,
    "llama_index_answer_relevancy": 1, "llama_index_context_relevancy": 1, "llama_index_correctness": 1,
    "llama_index_faithfulness": 1, "llama_index_guideline": 1, "llama_index_pairwise_comparison": 2,
    "llama_index_relevancy": 1,
    "nvidia_answer_accuracy": 2, "nvidia_context_relevance": 2, "nvidia_response_groundedness": 2,
    "prometheus_absolute_grading": 1, "prometheus_relative_grading": 1,
    "ragas_answer_correctness": 3, "ragas_answer_relevancy": 1, "ragas_aspect_critic": 1,
    "ragas_context_precision": 3, "ragas_context_recall": 1, "ragas_context_relevancy": 1,
    "ragas_context_utilization": 3, "ragas_factual_correctness": 4, "ragas_faithfulness": 2,
    "ragas_noise_sensitivity": 9, "ragas_rubric_score": 1,
    "valor_answer_correctness": 3, "valor_answer_relevance": 2, "valor_bias": 2, "valor_coherence": 1,
    "valor_context_precision": 1, "valor_context_recall": 2, "valor_context_relevance": 1,
    "valor_faithfulness": 2, "valor_hallucination": 1, "valor_summary_coherence": 1, "valor_toxicity": 2,
}  # fmt: skip
"""Calls that a metric's origin makes for an item with three contexts and one reference, without failures.

A conversation has two turns of the user and two replies; the judge lists four topics and four intentions.
G-Eval is asked for five samples here, by steps that are given; the fair comparison for three samples in both
orders.
"""


def costs(runs: Runs, repeats: int) -> None:
    """Print time and calls of the same work."""
    print("| | version | calls | wall s | ideal s | wall / ideal | CPU ms a call | most in flight | MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, row in ROWS.items():
        told = [runs.run(row) for _ in range(repeats)]
        failed = next((one for one in told if isinstance(one, str)), None)
        if failed:
            print(f"| {name} | {failed} |")
            continue
        middle = sorted(told, key=lambda one: one["wall"])[len(told) // 2]
        server = middle["server"]
        ideal = server["latency_s"] / CONCURRENCY
        cells = [
            name,
            middle["version"],
            server["calls"],
            f"{middle['wall']:.2f}",
            f"{ideal:.2f}",
            f"{middle['wall'] / ideal:.2f}",
            f"{middle['cpu'] / server['calls'] * 1000:.1f}",
            server["max_in_flight"],
            f"{middle['rss_mb']:.0f}",
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def faults(runs: Runs, names: list[str]) -> None:
    """Print how many scores remain when the server fails."""
    print("| fault | library | wall s | calls (failed) | scores kept per metric |")
    print("|---|---|---|---|---|")
    for name in names:
        for library, row in UNDER_FAULTS.items():
            told = runs.run(row, FAULTS[name])
            if isinstance(told, str):
                print(f"| {name} | {library} | {told} |", flush=True)
                continue
            server = told["server"]
            failed = sum(server["faults"].values())
            kept = runs.kept(told)
            print(
                f"| {name} | {library} | {told['wall']:.1f} | {server['calls']} ({failed}) | {kept} |",
                flush=True,
            )
            for reason in told.get("reasons", []):
                print(f"|  | {reason} |")


def restart(runs: Runs) -> None:
    """Print a second run with the cache of the first, and a run that was killed half-way."""
    with tempfile.TemporaryDirectory() as folder:
        row, option = ROWS["thresher"], f"cache={folder}/answers.sqlite"
        for name in ("first run", "second run"):
            told = runs.run(row, option=option)
            print(f"{name}: {told['server']['calls']} calls, {told['wall']:.2f} s, kept {runs.kept(told)}")
        option = f"cache={folder}/killed.sqlite"
        killed = runs.run(row, option=option, kill_at=350)["server"]["calls"]
        told = runs.run(row, option=option)
        calls = told["server"]["calls"]
        finished = killed - CONCURRENCY
        print(
            f"killed at call {killed}, at least {finished} of them finished; then {calls} calls, "
            f"{700 - calls} of {finished} reused, kept {runs.kept(told)}"
        )


def every_metric(runs: Runs, repeats: int, latency: float) -> None:
    """Print all judged metrics in one pipeline, and the same requests sent by the generator alone."""
    print("| | calls | wall s | ideal s | wall / ideal | CPU ms a call | most in flight | scored |")
    print("|---|---|---|---|---|---|---|---|")
    for metrics in ("", "metrics=" + "+".join(RAG)):
        for name, option in (("one pipeline", metrics), ("generator alone", f"plain,{metrics}")):
            for _ in range(repeats):
                told = runs.run(EVERY, {"base_ms": latency}, option)
                if isinstance(told, str):
                    print(f"| {name} | {told} |")
                    continue
                server, columns = told["server"], told["scores"]
                ideal = server["latency_s"] / CONCURRENCY
                scored = sum(score is not None for column in columns.values() for score in column)
                cells = [
                    f"{name}, {len(columns)} metrics", server["calls"], f"{told['wall']:.2f}",
                    f"{ideal:.2f}", f"{told['wall'] / ideal:.2f}",
                    f"{told['cpu'] / server['calls'] * 1000:.2f}", server["max_in_flight"],
                    f"{scored}/{len(columns) * len(runs.items)}",
                ]  # fmt: skip
                print(f"| {' | '.join(map(str, cells))} |", flush=True)


def client_cost(runs: Runs, repeats: int, latency: float) -> None:
    """Print processor time a call of two metrics, and of OpenAI's client that posts the same bodies."""
    result = runs.run(CLIENT_COST, {"base_ms": latency}, f"repeats={repeats}")
    if isinstance(result, str):
        print(result)
        return
    print("| | CPU ms a call: median | least | most | above the client: median |")
    print("|---|---|---|---|---|")
    samples = result["ms_a_call"]
    plain = samples["openai.AsyncOpenAI"]
    for name, values in samples.items():
        above = median(value - other for value, other in zip(values, plain, strict=True))
        print(f"| {name} | {median(values):.2f} | {min(values):.2f} | {max(values):.2f} | {above:+.2f} |")


def calls(runs: Runs) -> None:
    """Print calls per item: every judged metric alone, its origin, and all metrics together."""
    told = runs.run(EVERY, {"base_ms": 0, "per_token_ms": 0}, option="each")
    print("| metric | calls an item | its origin's |")
    print("|---|---|---|")
    for name, own in told["each"].items():
        print(f"| {name} | {own:g} | {ORIGIN_CALLS[name]:g} |")
    alone, shared = sum(told["each"].values()), told["account"]["calls"] / len(runs.items)
    origin = sum(ORIGIN_CALLS[name] for name in told["each"])
    print(f"| each by itself | {alone:g} | {origin:g} |")
    print(f"| all in one pipeline | {shared:g} | {origin:g} |")


def _pythons(option: str) -> dict[str, str]:
    named = dict(part.partition("=")[::2] for part in option.split(",") if part)
    # Each peer runs in a folder of its own, where a relative path would not lead to its Python.
    return {"thresher": sys.executable, **{peer: os.path.abspath(path) for peer, path in named.items()}}  # noqa: PTH100  (resolving a venv's link would leave the venv)


def main() -> None:
    """Read the options and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", default="", help="library=python, comma-separated")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--faults", default="", help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--every-metric", action="store_true")
    parser.add_argument("--client-cost", action="store_true")
    parser.add_argument("--prefixes", action="store_true")
    parser.add_argument("--orders", action="store_true")
    parser.add_argument("--judge", help="the judge of --orders")
    parser.add_argument(
        "--latency", type=float, default=50, help="ms before each reply, for --every-metric and --client-cost"
    )
    parser.add_argument("--limit", type=int, default=420, help="seconds for one run")
    options = parser.parse_args()
    if options.prefixes:
        prefixes()
        return
    if options.orders:
        orders(options.judge, options.items, options.limit)
        return
    with Server() as server:
        runs = Runs(server, _pythons(options.peers), rag_items(options.items), options.limit)
        if options.faults:
            faults(runs, options.faults.split(","))
        elif options.restart:
            restart(runs)
        elif options.calls:
            calls(runs)
        elif options.every_metric:
            every_metric(runs, options.repeats, options.latency)
        elif options.client_cost:
            client_cost(runs, options.repeats, options.latency)
        else:
            costs(runs, options.repeats)


if __name__ == "__main__":
    main()
