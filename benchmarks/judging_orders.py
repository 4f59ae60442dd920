"""Agreement of a real judge with labels, with the instructions first and with the contexts first.

The items are made up: passages state the year, the length and the cost of works on rivers. Half of the claims
repeat what the passages state; the others alter a number or add what they do not state. Every other passage
is about the work in question.
"""

import random
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from thresher.judges import Flow, Limits, Verdicts, asking, drive, judge_each, judge_named, prompt
from thresher.kernels.inference.one_more import rate_limits

ORDERS = ("instructions_first", "contexts_first")
_RIVERS = ("Alde", "Brenta", "Carse", "Dorre", "Enza", "Fulda", "Gauja", "Hase", "Isen", "Jalle")
_WORKS = ("lock", "weir", "ferry", "mill", "bridge", "dam", "quay", "sluice", "wharf", "tunnel")


class Case(NamedTuple):
    """A prompt with its data, and the verdicts that are right."""

    prompt: str
    data: dict[str, Any]
    labels: dict[str, str]


def orders(judge: str, items: int, seconds: float) -> None:
    """Judge cases in both orders and print correct verdicts, with 95 % intervals, and agreement.

    Args:
        judge: name of the judge.
        items: maximum number of items.
        seconds: no case is begun after so many seconds.
    """
    generator = judge_named(judge, generation_kwargs={"max_tokens": 700})
    generator.timeout = 3600.0
    cases, verdicts = [], {order: [] for order in ORDERS}
    start = time.perf_counter()
    for case in (case for number in range(items) for case in _cases(number)):
        if time.perf_counter() - start > seconds:
            break
        cases.append(case)
        for order in ORDERS:
            with asking(cache=False, prompt_order=order, limits=Limits(1, timeout=3600, max_tries=2)):
                (outcome,) = drive([_flow(case)], generator)
            verdicts[order].append(_labels(outcome.value, case))
    _print(cases, verdicts)


def _print(cases: Sequence[Case], verdicts: dict[str, list[list[str | None]]]) -> None:
    print("| prompt | verdicts | right, instructions first | right, contexts first | equal in both orders |")
    print("|---|---|---|---|---|")
    names = sorted({case.prompt for case in cases})
    for name in [*names, ""]:
        places = [place for place, case in enumerate(cases) if name in ("", case.prompt)]
        right = [label for place in places for label in cases[place].labels.values()]
        given = [[label for place in places for label in verdicts[order][place]] for order in ORDERS]
        cells = [_share(one, right) for one in given] + [_share(given[0], given[1])]
        print(f"| {name or 'together'} | {len(right)} | {' | '.join(cells)} |")


def _share(one: Sequence[str | None], other: Sequence[str | None]) -> str:
    equal = sum(label == second for label, second in zip(one, other, strict=True))
    low, high = rate_limits(equal, len(one), 0.95)
    return f"{equal / len(one):.3f} [{low:.3f}, {high:.3f}]"


def _flow(case: Case) -> Flow[Any]:
    return judge_each(prompt(case.prompt).ask(Verdicts(tuple(case.labels)), **case.data))


def _labels(verdicts: Any, case: Case) -> list[str | None]:
    """The verdicts; None for those of an unreadable item."""
    return [None if verdicts is None else verdicts[id_].label for id_ in case.labels]


def _cases(number: int) -> list[Case]:
    rng = random.Random(number)
    names = zip(rng.sample(_RIVERS, 4), rng.sample(_WORKS, 4), strict=True)
    works = [f"the {river} {work}" for river, work in names]
    facts = [(rng.randrange(1700, 1950), rng.randrange(30, 400), rng.randrange(20, 900)) for _ in works]
    passages = [_passage(work, *fact) for work, fact in zip(works, facts, strict=True)]
    name, (year, length, cost) = works[0], facts[0]
    claims = [
        (f"{name.capitalize()} was opened in {year}.", "yes"),
        (f"{name.capitalize()} is {length + 15} metres long.", "no"),
        (f"{name.capitalize()} cost {cost} thousand crowns.", "yes"),
        (f"{name.capitalize()} was designed by an engineer from abroad.", "no"),
    ]
    rng.shuffle(claims)
    own = [passages[0], f"Repairs of {name} took {rng.randrange(2, 30)} months; it was closed meanwhile."]
    contexts = [(text, "yes") for text in own] + [(text, "no") for text in passages[1:3]]
    rng.shuffle(contexts)
    question = f"When was {name} opened, how long is it, and when was it closed?"
    return [
        Case(
            "valor/faithfulness",
            {"contexts": passages, "claims": [claim for claim, _ in claims]},
            {str(place): label for place, (_, label) in enumerate(claims, 1)},
        ),
        Case(
            "valor/context_relevance",
            {"contexts": [text for text, _ in contexts], "question": question},
            {str(place): label for place, (_, label) in enumerate(contexts, 1)},
        ),
    ]


def _passage(work: str, year: int, length: int, cost: int) -> str:
    return (
        f"{work.capitalize()} was opened in {year}. From end to end it is {length} metres long. Boats tie up "
        f"at a low wall of dressed stone nearby. Building it cost {cost} thousand crowns."
    )
