"""Made-up RAG items whose true scores are known.

Marks tell what is true, and a judge that goes by them is right:
`allegedly` in a statement of the answer: the contexts do not support it;
`incidentally` in one: it does not answer the question;
`offtopic` in a context: it is of no use for the question;
`undocumented` in a statement of the reference: the contexts do not hold it.
"""

import random

_RIVERS = ["Alde", "Brenta", "Carse", "Dorre", "Enza", "Fulda", "Gauja", "Hase", "Isen", "Jalle"]
_WORKS = ["lock", "weir", "ferry", "mill", "bridge", "dam", "quay", "sluice", "wharf", "tunnel"]
_FILLER = (
    "Boats pass under the old lime trees and tie up at a low wall of dressed stone.",
    "In spring the meadows on both banks are flooded for some weeks and then mown.",
    "The keeper writes down the level of the water each morning in a ruled book.",
    "A footpath follows the bank and is well liked by people from the nearby town.",
    "Several drawings of the place are kept in the county archive under glass.",
)


def rag_items(number=100, seed=11):
    """Items as dicts: question, contexts, answer, reference and the true scores of four metrics."""
    rng = random.Random(seed)  # noqa: S311
    return [_item(place, rng) for place in range(number)]


def columns(items):
    """The items as the sockets of the evaluators."""
    return {
        "questions": [item["question"] for item in items],
        "contexts": [item["contexts"] for item in items],
        "predicted_answers": [item["answer"] for item in items],
        "ground_truth_answers": [item["reference"] for item in items],
    }


def _item(place, rng):
    name = f"{_RIVERS[place % 10]} {_WORKS[(place // 10 + place) % 10]} number {place}"
    year, cost, length = rng.randrange(1700, 1950), rng.randrange(20, 900), rng.randrange(30, 400)
    facts = [
        f"The {name} was finished in {year} after eleven years of work by two companies of navvies.",
        f"It cost {cost} thousand crowns to build the {name}, half of it lent by the merchants of the port.",
        f"The {name} is {length} metres long from end to end and rests on piles of oak and larch.",
        f"A toll was taken at the {name} until {year + 70}, when the county bought the rights to it.",
    ]
    useless = rng.randrange(3)
    contexts = [_padded([facts[0], facts[1]], rng), _padded([facts[2], facts[3]], rng)]
    off = f"This offtopic note tells of the market of {_RIVERS[(place + 4) % 10]} and its {cost + 3} stalls."
    contexts.insert(useless, _padded([off], rng))
    answer, reference = list(facts), facts[::-1]
    unsupported = place % 5 % 3
    for spoiled in range(unsupported):
        answer[spoiled] = (
            f"The {name} was allegedly drawn by a blind monk of the abbey, as case {spoiled} says."
        )
    if place % 4 == 3:
        answer[3] = f"The {name}, incidentally, stands close to an inn where travellers like to dine on eels."
    missing = place % 3 == 2
    if missing:
        reference[1] = f"An undocumented scheme would have made the {name} twice as wide for larger ships."
    useful = [rank != useless for rank in range(3)]
    hits = [sum(useful[: rank + 1]) / (rank + 1) for rank in range(3) if useful[rank]]
    return {
        "question": f"When was the {name} finished, what did it cost, how long is it, and who paid there?",
        "contexts": contexts,
        "answer": " ".join(answer),
        "reference": " ".join(reference),
        "faithfulness": 1 - unsupported / 4,
        "answer_relevance": 0.75 if place % 4 == 3 else 1.0,
        "context_precision": sum(hits) / 2,
        "context_recall": 0.75 if missing else 1.0,
    }


def _padded(sentences, rng):
    """At least 110 words."""
    text, start = " ".join(sentences), rng.randrange(5)
    while len(text.split()) < 110:
        text += " " + _FILLER[start % 5]
        start += 1
    return text
