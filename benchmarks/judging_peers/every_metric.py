"""Thresher: every judged metric in one pipeline, with its calls.

Options, comma-separated: `each` also runs the metrics one by one and prints their calls;
`metrics=NAME+NAME` takes these alone; `plain` sends the requests that the pipeline made once more, by
Haystack's generator alone, and prints its time.
"""

import asyncio
import functools
import inspect
import os
import sys
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from _peer import Peer

peer = Peer()
from haystack import Pipeline  # noqa: E402
from haystack.components.generators.chat.openai import OpenAIChatGenerator  # noqa: E402
from haystack.utils import Secret  # noqa: E402

from thresher import __version__  # noqa: E402
from thresher.components import metric_class, metric_names  # noqa: E402
from thresher.judges import Limits, asking  # noqa: E402
from thresher.pipelines.judged import run_pipeline  # noqa: E402

wanted = dict(part.partition("=")[::2] for part in peer.options.option.split(",") if part)
sent: list[dict[str, Any]] = []


JUDGE = OpenAIChatGenerator(
    Secret.from_token("none"), "mock", api_base_url=peer.options.url, generation_kwargs={"temperature": 0}
)
OPTIONS: dict[str, dict[str, Any]] = {
    "custom_judge": {
        "template": "How polite is it? {{ predicted_answers }}",
        "reply": {"score": {"low": 1, "high": 5}},
    },
    "llama_index_guideline": {"guidelines": ["concrete"]},
    "ragas_aspect_critic": {"definition": "Is there hearsay?"},
    "geval": {"samples": 5, "steps": ["Rate it."]},
}


class LetterCounts:
    """An embedder without cost: counts of some letters in a text."""

    def run(self, text: str) -> dict[str, Any]:
        """The counts."""
        return {"embedding": [1.0, *(float(text.count(letter)) for letter in "aeiou")]}


OPTIONS |= {
    name: {"embedder": LetterCounts()} for name in ("ragas_answer_correctness", "ragas_answer_relevancy")
}
LIMITS = Limits(max_concurrency=peer.options.concurrency)
answers = peer.column("answer")


def conversation(question: str, contexts: list[str], answer: str) -> list[dict[str, Any]]:
    """A conversation about an item: two questions, one call of a tool, two replies."""
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    return [
        {"role": "system", "content": "Answer questions about waterways."},
        {"role": "user", "content": question},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "\n".join(contexts)},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "Is that all?"},
        {"role": "assistant", "content": "It is all that I know."},
    ]


COLUMNS = {
    "conversations": list(map(conversation, peer.column("question"), peer.column("contexts"), answers)),
    "reference_topics": [["waterways", question] for question in peer.column("question")],
    "questions": peer.column("question"),
    "contexts": peer.column("contexts"),
    "ground_truth_contexts": peer.column("contexts"),
    "predicted_answers": answers,
    "second_predicted_answers": [*answers[1:], *answers[:1]],
    "ground_truth_answers": peer.column("reference"),
}


def judged_metrics() -> list[str]:
    """Names of all metrics that take a judge."""
    return [name for name in metric_names() if "chat_generator" in _options_of(name)]


def _options_of(name: str) -> Any:
    return inspect.signature(metric_class(name).__init__).parameters


def pipeline_of(*names: str) -> tuple[Pipeline, dict[str, Any]]:
    """A pipeline of these metrics, and what feeds it."""
    pipeline = Pipeline()
    for name in names:
        part = metric_class(name)(chat_generator=JUDGE, name=name, **OPTIONS.get(name, {}))
        pipeline.add_component(name, part)
    open_sockets = pipeline.inputs(include_components_with_connected_inputs=True)
    data = {
        name: {socket: COLUMNS[socket] for socket in sockets if socket in COLUMNS}
        for name, sockets in open_sockets.items()
    }
    return pipeline, data


def calls_of(name: str) -> float:
    """Calls per item of one metric alone."""
    with asking(cache=False, limits=LIMITS) as account:
        run_pipeline(*pipeline_of(name))
    return account.calls / len(answers)


def keep_what_is_sent() -> None:
    """Record every request before it is sent."""
    ask = OpenAIChatGenerator.run_async

    @functools.wraps(ask)
    async def run_async(generator: OpenAIChatGenerator, **request: Any) -> Any:
        sent.append(request)
        return await ask(generator, **request)

    OpenAIChatGenerator.run_async = run_async


async def send_again() -> None:
    """Send all requests again, with the same concurrency."""
    slots = asyncio.Semaphore(peer.options.concurrency)

    async def send(request: dict[str, Any]) -> None:
        async with slots:
            await JUDGE.run_async(**request)

    await asyncio.gather(*map(send, [*sent]))


def forget() -> None:
    """Clear the server's statistics."""
    address = urlsplit(peer.options.url)
    connection = HTTPConnection(str(address.hostname), address.port, timeout=30)
    connection.request("POST", "/reset", "{}")
    connection.getresponse().read()
    connection.close()


names = wanted["metrics"].split("+") if "metrics" in wanted else judged_metrics()
if "plain" in wanted:
    keep_what_is_sent()
each = {name: calls_of(name) for name in names} if "each" in wanted else {}
forget()
pipeline, data = pipeline_of(*names)
peer.ready(__version__)
with asking(cache=False, limits=LIMITS) as account:
    outputs = run_pipeline(pipeline, data)
results = {name: outputs[name]["result"] for name in names}
reasons = sorted({f"{name}: {why}"[:120] for name in names for why in results[name].reasons.values()})
if "plain" in wanted:
    forget()
    peer.ready(__version__)
    asyncio.run(send_again())
peer.done(
    {name: result.item_scores().tolist() for name, result in results.items()},
    account=account.to_dict(),
    reasons=reasons,
    each=each,
)
sys.exit(0)
