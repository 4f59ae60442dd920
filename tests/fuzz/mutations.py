"""Seeded mutations: of bytes, of text, and of plain data, which reach what lies behind a parser."""

import copy
import math
import re
from random import Random

TOKENS = (
    *(
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n",
        b"\n\n",
        b'"',
        b"'",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
    ),
    *(
        b"null",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"-1",
        b"9" * 5000,
        b"0" * 50,
        b"[" * 2000,
        b'{"a":' * 2000,
        b"&a ",
        b"*a",
    ),
    *(
        b"\\ud800",
        b"\xf0\x9f\x98\x80",
        b"\xe2\x80\xae",
        b"\x1b[2J",
        b"=1+1",
        b"<",
        b"&lt;",
        b"!!python/object:os.system ",
        b"- ",
    ),
)
WORDS = (
    *b"0 1 -1 0.5 2 1e30 -1e-30 nan inf -inf 1e999 0x10 1_000 007 true null d1 q1 \xc3\xa4".split(),
    b"9" * 400,
)
ODD = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    -(10**400),
    math.nan,
    math.inf,
    "",
    " ",
    "a",
    "\ud800",
    "\x1b[2J",
    "1",
    "x" * 5000,
    [],
    [[]],
    {},
    {"": None},
    [None],
    ["a", 1],
    {"a": {"b": {}}},
    [[[[[[]]]]]],
)


def mutate_bytes(rng: Random, content: bytes) -> bytes:
    """A few changes: flipped bits, tokens inserted, and spans deleted, doubled, moved or cut off."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        start = rng.randrange(len(changed) + 1)
        stop = min(len(changed), start + rng.choice((1, 1, 4, 30, 300)))
        kind = rng.randrange(7)
        if kind == 0 and start < len(changed):
            changed[start] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[start:start] = rng.choice(TOKENS)
        elif kind == 2:
            del changed[start:stop]
        elif kind == 3:
            changed[start:start] = changed[start:stop] * rng.choice((1, 1, 50))
        elif kind == 4:
            span = changed[start:stop]
            del changed[start:stop]
            place = rng.randrange(len(changed) + 1)
            changed[place:place] = span
        elif kind == 5:
            words = list(re.finditer(rb"[^\s,;:<>\[\]{}\"']+", changed))
            if words:
                word = rng.choice(words)
                changed[word.start() : word.end()] = rng.choice(WORDS)
        elif rng.random() < 0.2:
            del changed[start:]
    return bytes(changed)


def mutate_text(rng: Random, text: str) -> str:
    """The same for a text."""
    return mutate_bytes(rng, text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def mutate_data(rng: Random, data: object) -> object:
    """Plain data with a few values replaced, removed, doubled or swapped, and keys misspelt."""
    changed = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = list(_places(changed))
        if not places:
            return rng.choice(ODD)
        holder, key = rng.choice(places)
        kind = rng.randrange(5)
        if kind <= 1:
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif kind == 2:
            del holder[key]
        elif kind == 3:
            other, place = rng.choice(places)
            holder[key] = copy.deepcopy(
                other.get(place) if isinstance(other, dict) else value_at(other, place)
            )
        elif isinstance(holder, dict):
            name = key[: len(key) // 2] + key[len(key) // 2 + 1 :] if isinstance(key, str) else str(key)
            holder[name] = holder.pop(key)
        else:
            holder.insert(key, copy.deepcopy(holder[key]))
    return changed


def value_at(values: list, place: int) -> object:
    """A value of a list that may have become shorter."""
    return values[place] if place < len(values) else None


def _places(value: object):
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])
