"""ragas: `evaluate` with its four default RAG metrics."""

import warnings

from _peer import Peer

warnings.filterwarnings("ignore")
peer = Peer()
import ragas  # noqa: E402
from langchain_openai import ChatOpenAI, OpenAIEmbeddings  # noqa: E402
from ragas import EvaluationDataset, RunConfig, SingleTurnSample, evaluate  # noqa: E402
from ragas.llms import LangchainLLMWrapper  # noqa: E402
from ragas.metrics import (  # noqa: E402
    Faithfulness,
    LLMContextPrecisionWithReference,
    LLMContextRecall,
    ResponseRelevancy,
)

peer.ready(ragas.__version__)
url = peer.options.url
config = RunConfig(max_workers=peer.options.concurrency)
judge = LangchainLLMWrapper(ChatOpenAI(model="mock", base_url=url, api_key="none"), run_config=config)
embeddings = OpenAIEmbeddings(model="mock", base_url=url, api_key="none", check_embedding_ctx_length=False)
samples = [
    SingleTurnSample(
        user_input=item["question"],
        retrieved_contexts=item["contexts"],
        response=item["answer"],
        reference=item["reference"],
    )
    for item in peer.items
]
names = ("faithfulness", "answer_relevance", "context_precision", "context_recall")
metrics = [Faithfulness(), ResponseRelevancy(), LLMContextPrecisionWithReference(), LLMContextRecall()]
result = evaluate(
    EvaluationDataset(samples=samples),
    metrics=metrics,
    llm=judge,
    embeddings=embeddings,
    run_config=config,
    show_progress=False,
    raise_exceptions=False,
)
peer.done(
    {name: [row[metric.name] for row in result.scores] for name, metric in zip(names, metrics, strict=True)}
)
