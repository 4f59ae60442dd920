"""Mutated files of a kind, and the rows that they are made of."""

import json
from random import Random

from fuzz.mutations import mutate_bytes, mutate_data


def changed(rng: Random | None, content: bytes) -> bytes:
    return content if rng is None else mutate_bytes(rng, content)


def changed_json(rng: Random | None, data: object) -> bytes:
    """JSON of mutated data, or mutated JSON."""
    if rng is None:
        return json.dumps(data).encode()
    if rng.random() < 0.5:
        data = mutate_data(rng, data)
        return json.dumps(data).encode()
    return mutate_bytes(rng, json.dumps(data).encode())


def changed_yaml(rng: Random | None, data: object) -> bytes:
    import yaml

    if rng is not None and rng.random() < 0.6:
        data = mutate_data(rng, data)
        rng = None
    text = yaml.safe_dump(data, allow_unicode=False)
    return changed(rng, text.encode("utf-8", "surrogatepass"))


def changed_lines(rng: Random | None, rows: list) -> bytes:
    """JSON Lines; one line, or the whole text, is mutated."""
    lines = [json.dumps(row).encode() for row in rows]
    if rng is not None:
        place = rng.randrange(len(rows))
        lines[place] = changed_json(rng, rows[place])
    whole = b"\n".join(lines)
    return mutate_bytes(rng, whole) if rng is not None and rng.random() < 0.1 else whole


def one_of(rng: Random | None, count: int) -> list[Random | None]:
    """The generator for one of several files; None for the other files, which stay unchanged."""
    chosen = rng.randrange(count) if rng else -1
    return [rng if place == chosen else None for place in range(count)]


ROWS = [
    {
        "id": "a",
        "question": "who?",
        "response": "the cat",
        "reference": ["a cat", "cat"],
        "contexts": ["x", "y"],
        "n": 1,
    },
    {
        "id": "b",
        "question": "why?",
        "response": "a dog",
        "reference": "dog",
        "contexts": ["z"],
        "n": 2.5,
        "more": {"k": [1]},
    },
    {"id": "c", "question": "when?", "response": None, "reference": "", "contexts": [], "n": None},
    {
        "id": "d",
        "retrieved_documents": ["d1", "d2"],
        "ground_truth_documents": {"d1": 1},
        "ground_truths": "x",
        "predictions": "y",
    },
]
