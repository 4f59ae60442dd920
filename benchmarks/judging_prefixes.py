"""Tokens that the prompts about one item share, with the instructions first and with the contexts first.

A call shares the longest beginning that it has in common with an earlier call about the item: that is what a
provider's cache can supply. Four characters count as a token. The calls are those of the judged metrics of
the recipe `rag`; every verdict is yes, as in an estimate.
"""

import inspect
import random
from collections.abc import Iterator, Sequence

from thresher.components.judged.valor.answer_relevance import ValorAnswerRelevanceEvaluator
from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator
from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator
from thresher.components.judged.valor.context_relevance import ValorContextRelevanceEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.judges import Answer
from thresher.judges.estimate import CHARACTERS_A_TOKEN
from thresher.judges.flow import Ask, Reply
from thresher.judges.walks import Walk

METRICS = (
    ValorFaithfulnessEvaluator(),
    ValorAnswerRelevanceEvaluator(),
    ValorContextPrecisionEvaluator(),
    ValorContextRecallEvaluator(),
    ValorContextRelevanceEvaluator(),
)
SIZES = ((3, 120), (10, 120), (10, 360), (20, 360))
"""Contexts, and words of each."""
_WORDS = ("river", "lock", "weir", "stone", "water", "bridge", "keeper", "meadow", "footpath", "county")
LEAST = (1024, 4096)
"""Tokens that providers cache at least."""


def prefixes() -> None:
    """Print a row for each size: shared tokens in both orders, and those that providers cache."""
    print(
        "| one item | calls | tokens | shared before | shared, contexts first | from 1024 on | from 4096 on |"
    )
    print("|---|---|---|---|---|---|---|")
    for contexts, words in SIZES:
        asks = list(_asks(_item(contexts, words)))
        before = [ask.text for ask in asks]
        after = [ask.contexts_first().text for ask in asks]
        whole = sum(map(len, after)) // CHARACTERS_A_TOKEN
        counts = [_shared(before), _shared(after), *(_shared(after, least) for least in LEAST)]
        cells = [f"{count:,} ({count / whole:.0%})" for count in counts]
        print(f"| {contexts} x {words} words | {len(asks)} | {whole:,} | {' | '.join(cells)} |")


def _asks(item: dict[str, list]) -> Iterator[Ask]:
    for metric in METRICS:
        run = inspect.unwrap(type(metric).run)
        job = run(metric, **{name: item[name] for name in list(inspect.signature(run).parameters)[1:]})
        for flow in job.flows:
            walk = Walk(flow)
            while walk.outcome is None:
                yield from walk.asks
                walk.give([Reply.read(ask, Answer(ask.schema.imagine(ask.subject))) for ask in walk.asks])


def _item(contexts: int, words: int) -> dict[str, list]:
    rng = random.Random(contexts * words)
    vocabulary = [
        "river",
        "lock",
        "weir",
        "stone",
        "water",
        "bridge",
        "keeper",
        "meadow",
        "footpath",
        "county",
    ]
    texts = [" ".join(rng.choices(vocabulary, k=words)) for _ in range(contexts)]
    answer = "The lock is 40 metres long. It was built in 1820. Its keeper lives near it."
    return {
        "questions": ["How long is the lock, and when was it built?"],
        "contexts": [texts],
        "predicted_answers": [answer],
        "ground_truth_answers": [[answer]],
    }


def _shared(texts: Sequence[str], least: int = 0) -> int:
    """Tokens of all texts that an earlier text begins with; beginnings shorter than `least` count nothing."""
    longest = [
        max((_common(text, other) for other in texts[:place]), default=0) for place, text in enumerate(texts)
    ]
    tokens = [length // CHARACTERS_A_TOKEN for length in longest]
    return sum(count for count in tokens if count >= least)


def _common(text: str, other: str) -> int:
    pairs = zip(text, other, strict=False)
    return next((place for place, (one, two) in enumerate(pairs) if one != two), min(len(text), len(other)))
