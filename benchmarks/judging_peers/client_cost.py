"""Thresher and OpenAI's client alone: processor time for the same requests.

Each repeat posts the bodies of all requests with `openai.AsyncOpenAI`, then judges the items without a cache
and with a new cache file. Options, comma-separated: `repeats=N`, `concurrency=N`.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from _peer import Peer

peer = Peer()
from haystack import Pipeline  # noqa: E402
from haystack.components.generators.chat.openai import OpenAIChatGenerator  # noqa: E402
from haystack.utils import Secret  # noqa: E402
from openai import AsyncOpenAI  # noqa: E402

from thresher import __version__  # noqa: E402
from thresher.components import metric_class  # noqa: E402
from thresher.judges import Limits, asking  # noqa: E402
from thresher.judges.engine import wire  # noqa: E402
from thresher.pipelines.judged import run_pipeline  # noqa: E402

OPTIONS = dict(part.split("=") for part in peer.options.option.split(",") if part)
CONCURRENCY = int(OPTIONS.get("concurrency", peer.options.concurrency))
REPEATS = int(OPTIONS.get("repeats", 3))
JUDGE = OpenAIChatGenerator(
    Secret.from_token("none"), "mock", api_base_url=peer.options.url, generation_kwargs={"temperature": 0}
)
METRICS = ("valor_faithfulness", "valor_context_precision")
DATA = {
    "questions": peer.column("question"),
    "contexts": peer.column("contexts"),
    "predicted_answers": peer.column("answer"),
    "ground_truth_answers": peer.column("reference"),
}


def cpu_of(work: Callable[[], Any]) -> float:
    """Processor seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def judge(cache: Path | bool = False) -> None:
    """Judge all items by two metrics."""
    pipeline = Pipeline()
    for name in METRICS:
        pipeline.add_component(name, metric_class(name)(chat_generator=JUDGE))
    inputs = pipeline.inputs()
    data = {name: {socket: DATA[socket] for socket in inputs[name] if socket in DATA} for name in METRICS}
    with asking(cache=cache, limits=Limits(max_concurrency=CONCURRENCY)):
        run_pipeline(pipeline, data)


def judge_with_file() -> None:
    """Judge with a new answer cache."""
    with tempfile.TemporaryDirectory() as folder:
        judge(Path(folder) / "answers.sqlite")


def bodies_sent() -> list[dict[str, Any]]:
    """Judge once and return the body of each request."""
    bodies: list[dict[str, Any]] = []
    post = wire.post

    async def recorded(target: Any, permit: Any, messages: Any, settings: dict[str, Any]) -> Any:
        bodies.append({"model": "mock", "temperature": 0, "messages": messages, **settings})
        return await post(target, permit, messages, settings)

    wire.post = recorded
    judge()
    wire.post = post
    return bodies


async def send(bodies: list[dict[str, Any]]) -> None:
    """Post the bodies by OpenAI's client with the same concurrency."""
    slots = asyncio.Semaphore(CONCURRENCY)

    async def one(body: dict[str, Any]) -> None:
        async with slots:
            await client.chat.completions.create(**body)

    async with AsyncOpenAI(base_url=peer.options.url, api_key="none", max_retries=0) as client:
        await asyncio.gather(*map(one, bodies))


def main() -> None:
    """Print milliseconds of the processor per call, a list of repeats for each way."""
    bodies = bodies_sent()
    peer.ready(__version__)
    ways = {
        "openai.AsyncOpenAI": lambda: asyncio.run(send(bodies)),
        "thresher": judge,
        "thresher, answer cache in a file": judge_with_file,
    }
    ms = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, work in ways.items():
            ms[name].append(cpu_of(work) / len(bodies) * 1000)
    peer.done({}, ms_a_call=ms)


main()
sys.exit(0)
