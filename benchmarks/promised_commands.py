"""Rows of promised bounds: commands on question answering, and judging."""

import shutil
import statistics
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import startup
from promised import Row, Side, number

from processes import Cost, cost

SHORT_WORDS = [f"w{number}" for number in range(5_000)]
"""Words that make 100,000 rows a file of 61 MB."""
QA = (*startup.THRESHER, "run", "qa", "--data", "answers.jsonl", "--out", "new")


def commands(folder: Path, few: int, many: int, repeats: int) -> list[Row]:
    """`run qa` on little and on many rows, `report` and `compare` of many."""
    (folder / "few").mkdir()
    (folder / "many").mkdir()
    startup.write_data(folder / "few", few, SHORT_WORDS)
    startup.write_data(folder / "many", many, SHORT_WORDS)
    size = (folder / "many" / "answers.jsonl").stat().st_size / 1e6
    of_many = f"thresher run qa, {many:,} rows, {size:.0f} MB of JSON Lines"
    read = {"report": ("report", "a"), "compare": ("compare", "a", "b")}
    rows = [
        _row(f"{of_many}, one process", QA, folder / "many", repeats, 4.5),
        _row(f"{of_many}, two workers", (*QA, "--workers", "2"), folder / "many", repeats, 2.5),
        _row(f"thresher run qa, {few} rows", QA, folder / "few", repeats, 0.9),
    ]
    floor = _median([*startup.PYTHON, "import haystack"], folder, repeats)
    rows[-1].peers = [
        Side(
            f"import haystack {version('haystack-ai')}",
            None,
            f"{number(floor.taken)} s, the floor of a pipeline",
        )
    ]
    rows += [
        _row(
            f"thresher {name}, runs of {many:,} rows",
            (*startup.THRESHER, *words),
            folder / "many",
            repeats,
            1.2,
        )
        for name, words in read.items()
    ]
    return rows


def judging(items: int, repeats: int) -> list[Row]:
    """Processor milliseconds of a call, next to OpenAI's client with the same requests."""
    import judging

    with judging.Server() as server:
        runs = judging.Runs(server, {"thresher": sys.executable}, judging.rag_items(items), 420)
        result = runs.run(judging.CLIENT_COST, {"base_ms": 5}, f"repeats={repeats}")
    if isinstance(result, str):
        raise RuntimeError(f"judging: {result}")  # noqa: TRY004  # a text is the report of a failure
    samples = result["ms_a_call"]
    plain = samples["openai.AsyncOpenAI"]
    alone = f"{statistics.median(plain):.2f} ms a call"
    client = Side(f"openai {version('openai')}, the client alone", None, alone)
    command = f"python benchmarks/judging.py --client-cost --items {items} --latency 5"
    rows = []
    for name, values in samples.items():
        if name == "openai.AsyncOpenAI":
            continue
        above = statistics.median(one - other for one, other in zip(values, plain, strict=True))
        whole = f"{statistics.median(values):.2f} with the client"
        kind = name.removeprefix("thresher, ").replace("thresher", "no cache")
        title = f"Judging, {kind}: processor time above the client"
        rows.append(Row(title, command, "ms a call", Side("Thresher", above, whole), [client], most=1.5))
    return rows


def _row(name: str, command: Sequence[str], folder: Path, repeats: int, most: float) -> Row:
    median = _median(command, folder, repeats)
    note = f"{number(median.spent)} s of processor, {median.peak:.0f} MB at most"
    if "--workers" in command:
        workers = f"{number(median.others)} s in its workers"
        note = f"{number(median.spent)} s of processor, {workers}, {median.peak:.0f} MB at most"
    shown = "thresher " + " ".join(command[len(startup.THRESHER) :])
    return Row(name, shown, "s", Side("Thresher", median.taken, note), most=most)


def _median(command: Sequence[str], folder: Path, repeats: int) -> Cost:
    costs = []
    for _ in range(repeats):
        shutil.rmtree(folder / "new", ignore_errors=True)  # each writes its run anew
        costs.append(cost(command, folder))
    return Cost(*(statistics.median(figures) for figures in zip(*costs, strict=True)))
