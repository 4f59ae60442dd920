"""LlamaIndex: three evaluators through its `BatchEvalRunner`."""

import asyncio
from importlib.metadata import version

from _peer import Peer

peer = Peer()
from llama_index.core.evaluation import (  # noqa: E402
    BatchEvalRunner,
    CorrectnessEvaluator,
    FaithfulnessEvaluator,
    RelevancyEvaluator,
)
from llama_index.llms.openai_like import OpenAILike  # noqa: E402

peer.ready(version("llama-index-core"))
judge = OpenAILike(
    model="mock", api_base=peer.options.url, api_key="none", is_chat_model=True, context_window=128_000
)
evaluators = {
    "faithfulness": FaithfulnessEvaluator(llm=judge),
    "answer_relevance": RelevancyEvaluator(llm=judge),
    "answer_correctness": CorrectnessEvaluator(llm=judge),
}
runner = BatchEvalRunner(evaluators, workers=peer.options.concurrency)
work = runner.aevaluate_response_strs(
    queries=peer.column("question"),
    response_strs=peer.column("answer"),
    contexts_list=peer.column("contexts"),
    answer_correctness={"reference": peer.column("reference")},
)
results = asyncio.run(work)
peer.done({name: [result.score for result in column] for name, column in results.items()})
