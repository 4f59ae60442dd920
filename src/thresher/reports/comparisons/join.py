"""The join of two runs' items: by id, else by question, never by position."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.comparisons.file_names import FILE_NAME, file_keys
from thresher.reports.comparisons.matching_keys import Keys, matching_keys, occurrences
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.column_roles import columns_for
from thresher.results.parted_columns import PartedColumn

Positions = npt.NDArray[np.int64]
Key = Hashable
"""What an item is matched by; None for one that cannot be matched."""
_FEW = 200_000
"""Questions of a run on disk that are held in memory, some 30 MB; more of them are read twice."""
_SECOND = b"\0002"
"""End of the key of a question that occurs a second time."""


@dataclass(frozen=True)
class Join:
    """Items that two runs have in common.

    Attributes:
        by: `id`, the name of the question column, or `file_name`.
        first: positions in the first run, in its order.
        second: the matching positions in the second run.
        only_first: number of items that the second run lacks.
        only_second: number of items that the first run lacks.
        repeated: number of questions that occur more than once among the matched items.
    """

    by: str
    first: Sequence[int] | Positions
    second: Sequence[int] | Positions
    only_first: int
    only_second: int
    repeated: int = 0

    @cached_property
    def here(self) -> Positions:
        """`first` as an array."""
        return _array(self.first)

    @cached_property
    def there(self) -> Positions:
        """`second` as an array."""
        return _array(self.second)

    def is_whole(self, *sizes: int) -> bool:
        """Whether these are the positions of all items of runs of these sizes, stated as ranges."""
        sides = zip((self.first, self.second), sizes, strict=True)
        return all(isinstance(positions, range) and positions == range(size) for positions, size in sides)

    def note(self, names: tuple[str, str]) -> str | None:
        """Return which items were matched, in sentences; None if both runs have the same items once."""
        sentences = []
        parts = [
            f"{count} only in {name}"
            for count, name in zip((self.only_first, self.only_second), names, strict=True)
            if count
        ]
        if parts:
            sentences.append(
                f"Compared over the {counted(len(self.first), 'item')} in both runs ({' and '.join(parts)})."
            )
        if self.by == FILE_NAME:
            sentences.append("Ids differ: matched by the names of image files, without folder and ending.")
        if self.repeated:
            more = counted(self.repeated, "question occurs", "questions occur")
            sentences.append(
                f"{more} more than once: joined first to first, second to second; ids would be safer."
            )
        return " ".join(sentences) or None


def join(first: RunData, second: RunData) -> Join:
    """Match the items of two runs by their ids if both have some, else by their questions or files of images.

    A question that occurs several times is joined in the order of its repeats: the first with the first, the
    second with the second. Items without a question are in no other run.

    Raises:
        InputError: if the runs share neither ids nor questions.
    """
    tried = []
    if first.ids_given and second.ids_given:
        tried.append("ids")
        if matched := _match_ids(first, second):
            return matched
    asked, also_asked = question_column(first), question_column(second)
    if asked and also_asked:
        tried.append("questions")
        if matched := _match_questions(asked, first.inputs[asked], second.inputs[also_asked]):
            return matched
    if (files := file_keys(first, second)) is not None:
        tried.append("names of files")
        if matched := _match(FILE_NAME, *files):
            return matched
    names = first.name or "the first run", second.name or "the second run"
    lacking = [name for name, run in zip(names, (first, second), strict=True) if not run.ids_given]
    heads = [str(next(iter(run.ids), "")) for run in (first, second)]
    like = f"; their first ids are {heads[0]!r} and {heads[1]!r}" if "ids" in tried else ""
    trouble = (
        f"have no items in common (compared by their {' and '.join(tried)}{like})"
        if tried
        else f"cannot be joined: {' and '.join(lacking)} came without ids, and there are no questions in both"
    )
    raise InputError(f"{names[0]} and {names[1]} {trouble}; give both runs the same `id` column")


def _match_ids(first: RunData, second: RunData) -> Join | None:
    """Match by ids. Those of runs that stay on disk are compared part by part, or matched on disk."""
    if not (isinstance(first.ids, PartedColumn) or isinstance(second.ids, PartedColumn)):
        return _match("id", list(first.ids), list(second.ids))
    sizes = len(first), len(second)
    if have_same_data(first, second) or first.ids == second.ids:
        every = range(len(first))
        return Join("id", every, every, 0, 0)
    return _match_on_disk("id", first.ids, second.ids, sizes)


def _match_questions(by: str, first: FrozenColumn, second: FrozenColumn) -> Join | None:
    if not (isinstance(first, PartedColumn) or isinstance(second, PartedColumn)):
        return _match(by, list(_numbered(first)), list(_numbered(second)))
    return _match_on_disk(by, _key_texts(first), _key_texts(second), (len(first), len(second)))


def _key_texts(questions: FrozenColumn) -> Iterator[str | None]:
    """Each question and the number of its repeat as one text; None for a missing one."""
    return (key and f"{key[0]}\0{key[1]}" for key in _numbered(questions))


def _match_on_disk(by: str, keys: Keys, other_keys: Keys, sizes: tuple[int, int]) -> Join | None:
    """Match runs of these numbers of items."""
    there, repeated = np.full(sizes[0], -1), 0
    for items, others, shared in matching_keys(keys, other_keys, max(sizes)):
        there[items] = others
        repeated += 0 if by == "id" else sum(key.endswith(_SECOND) for key in shared.to_pylist())
    matched = there >= 0
    if not matched.any() and any(sizes):
        return None
    here: range | Positions = range(sizes[0])
    if not matched.all():
        here, there = np.flatnonzero(matched), there[matched]
    return Join(by, here, there, sizes[0] - len(here), sizes[1] - len(here), repeated)


def have_same_data(first: RunData, second: RunData) -> bool:
    """Whether two runs on disk were made from equal data, item by item, so that positions identify items."""
    runs = (first, second)
    prints = {run.ids.data if isinstance(run.ids, PartedColumn) else "" for run in runs}
    return len(prints) == 1 and "" not in prints and len(first) == len(second)


def _array(positions: Sequence[int] | Positions) -> Positions:
    if isinstance(positions, range):
        return np.arange(positions.start, positions.stop, positions.step)
    return np.asarray(positions, dtype=np.int64)


def question_column(run: RunData) -> str | None:
    """The name of the run's question column; None without one that has an entry."""
    for name in columns_for("questions", run.inputs):
        column = run.inputs[name]
        if not len(column) or any(_text(question) is not None for question in column):
            return name
    return None


def question_keys(run: RunData) -> Iterator[Key] | None:
    """Each question with the number of its repeat, one after the other; None without questions."""
    name = question_column(run)
    return None if name is None else _numbered(run.inputs[name])


def _numbered(questions: Iterable[Any]) -> Iterator[tuple[str, int] | None]:
    """Each question with the number of its repeat; None for a missing one."""
    if isinstance(questions, PartedColumn) and len(questions) > _FEW:
        numbers = occurrences(map(_text, questions))
        for question, number in zip(map(_text, questions), numbers, strict=True):
            yield None if question is None else (question, number)
        return
    texts = _texts(questions)
    if len({None, *texts}) > len(texts):  # none is missing or repeated
        yield from zip(texts, repeat(1))
        return
    seen: Counter[str] = Counter()
    for question in texts:
        if question is None:
            yield None
            continue
        seen[question] += 1
        yield question, seen[question]


def _texts(questions: Iterable[Any]) -> list[str | None]:
    texts = list(questions)
    return texts if set(map(type, texts)) == {str} else list(map(_text, texts))


def _text(question: Any) -> str | None:
    missing = question is None or (isinstance(question, float) and math.isnan(question))
    return None if missing else str(question)


def _match(by: str, keys: Sequence[Key], other_keys: Sequence[Key]) -> Join | None:
    if by == "id" and keys == other_keys:  # most comparisons are of the same items in the same order
        every = tuple(range(len(keys)))
        return Join(by, every, every, 0, 0)
    there = {key: position for position, key in enumerate(other_keys) if key is not None}
    first = tuple(position for position, key in enumerate(keys) if key in there)
    if not first and (len(keys) or len(other_keys)):
        return None
    second = tuple(there[keys[position]] for position in first)
    left_out = len(keys) - len(first), len(other_keys) - len(second)
    return Join(by, first, second, *left_out, _repeats([keys[position] for position in first]))


def _repeats(keys: Iterable[Any]) -> int:
    """How many questions occur a second time."""
    return sum(isinstance(key, tuple) and key[1] == 2 for key in keys)  # noqa: PLR2004
