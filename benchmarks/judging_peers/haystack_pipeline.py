"""Haystack: its two judged evaluators in one pipeline; `--option noraise` goes on after errors."""

import asyncio
import os
from importlib.metadata import version

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from _peer import Peer

peer = Peer()
from haystack import Pipeline  # noqa: E402
from haystack.components.evaluators import ContextRelevanceEvaluator, FaithfulnessEvaluator  # noqa: E402
from haystack.components.generators.chat import OpenAIChatGenerator  # noqa: E402
from haystack.utils import Secret  # noqa: E402

peer.ready(version("haystack-ai"))
common = {"progress_bar": False, "raise_on_failure": peer.options.option != "noraise"}


def judge() -> OpenAIChatGenerator:
    """A separate judge for each evaluator, which is their default."""
    return OpenAIChatGenerator(
        Secret.from_token("none"),
        "mock",
        api_base_url=peer.options.url,
        generation_kwargs={"response_format": {"type": "json_object"}, "seed": 42},
    )


pipeline = Pipeline()
pipeline.add_component("faithfulness", FaithfulnessEvaluator(chat_generator=judge(), **common))
pipeline.add_component("context_relevance", ContextRelevanceEvaluator(chat_generator=judge(), **common))
asked = {"questions": peer.column("question"), "contexts": peer.column("contexts")}
data = {
    "faithfulness": {**asked, "predicted_answers": peer.column("answer")},
    "context_relevance": asked,
}
results = asyncio.run(pipeline.run_async(data, concurrency_limit=peer.options.concurrency))
peer.done({name: result["individual_scores"] for name, result in results.items()})
