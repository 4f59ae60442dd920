"""Thresher: Valor's four RAG metrics in one pipeline.

Options, comma-separated: `statements` takes claims from statements, `sync` runs the pipeline blocking,
`cache=FILE`, `timeout=SECONDS`.
"""

import asyncio
import os
import sys

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from _peer import Peer

peer = Peer()
from haystack import Pipeline  # noqa: E402
from haystack.components.generators.chat.openai import OpenAIChatGenerator  # noqa: E402
from haystack.utils import Secret  # noqa: E402

from thresher import __version__  # noqa: E402
from thresher.components.judged.valor.answer_relevance import ValorAnswerRelevanceEvaluator  # noqa: E402
from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator  # noqa: E402
from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator  # noqa: E402
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator  # noqa: E402
from thresher.judges import Limits, asking  # noqa: E402

peer.ready(__version__)
wanted = dict(part.partition("=")[::2] for part in peer.options.option.split(",") if part)


def judge() -> OpenAIChatGenerator:
    """A separate judge for each evaluator, as in a recipe."""
    return OpenAIChatGenerator(
        Secret.from_token("none"),
        "mock",
        api_base_url=peer.options.url,
        generation_kwargs={"temperature": 0},
    )


claims = "statements" if "statements" in wanted else "claims"
pipeline = Pipeline()
pipeline.add_component("faithfulness", ValorFaithfulnessEvaluator(judge(), claims=claims))
pipeline.add_component("answer_relevance", ValorAnswerRelevanceEvaluator(judge()))
pipeline.add_component("context_precision", ValorContextPrecisionEvaluator(judge()))
pipeline.add_component("context_recall", ValorContextRecallEvaluator(judge()))
sockets = {
    "questions": peer.column("question"),
    "contexts": peer.column("contexts"),
    "predicted_answers": peer.column("answer"),
    "ground_truth_answers": peer.column("reference"),
}
data = {name: {socket: sockets[socket] for socket in inputs} for name, inputs in pipeline.inputs().items()}
limits = Limits(
    max_concurrency=peer.options.concurrency,
    timeout=float(wanted["timeout"]) if "timeout" in wanted else None,
)
with asking(limits=limits, cache=wanted.get("cache", True)) as account:
    if "sync" in wanted:
        outputs = pipeline.run(data)
    else:
        outputs = asyncio.run(pipeline.run_async(data, concurrency_limit=16))
results = {name: outputs[name]["result"] for name in pipeline.inputs()}
reasons = sorted({reason[:90] for result in results.values() for reason in result.reasons.values()})
peer.done(
    {name: result.item_scores().tolist() for name, result in results.items()},
    account=account.to_dict(),
    reasons=reasons,
)
sys.exit(0)
