"""DeepEval: `evaluate` with its four RAG metrics; `--option ignore` goes on after errors."""

import os

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
}
from _peer import Peer

peer = Peer()
import deepeval  # noqa: E402
from deepeval import evaluate  # noqa: E402
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.metrics import (  # noqa: E402
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    FaithfulnessMetric,
)
from deepeval.models import OpenAIModel  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

peer.ready(deepeval.__version__)
judge = OpenAIModel(model="gpt-4.1", base_url=peer.options.url, api_key="none")
metrics = {
    "faithfulness": FaithfulnessMetric(model=judge),
    "answer_relevance": AnswerRelevancyMetric(model=judge),
    "context_precision": ContextualPrecisionMetric(model=judge),
    "context_recall": ContextualRecallMetric(model=judge),
}
cases = [
    LLMTestCase(
        name=str(place).zfill(6),
        input=item["question"],
        actual_output=item["answer"],
        expected_output=item["reference"],
        retrieval_context=item["contexts"],
    )
    for place, item in enumerate(peer.items)
]
result = evaluate(
    cases,
    list(metrics.values()),
    async_config=AsyncConfig(run_async=True, max_concurrent=peer.options.concurrency),
    display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    cache_config=CacheConfig(write_cache=False, use_cache=False),
    error_config=ErrorConfig(ignore_errors=peer.options.option == "ignore"),
)
found = {name: [None] * len(cases) for name in metrics}
by_title = {metric.__name__: name for name, metric in metrics.items()}
for test in result.test_results:
    for data in test.metrics_data or []:
        found[by_title[data.name.split(" [")[0]]][int(test.name)] = data.score
peer.done(found)
