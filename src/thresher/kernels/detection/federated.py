"""What was annotated in the images of a federated data set such as LVIS: each is checked for some labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.object_values import checked_flags
from thresher.results import Label, Ragged
from thresher.results.labels import Vocabulary, encode, merge_vocabularies, vocabulary_of
from thresher.results.ragged import Int64s

FREQUENCIES = ("rare", "common", "frequent")
"""Groups of labels by the number of training images, coded 1, 2 and 3; 0 for none."""
_CODES = {name: code for code, name in enumerate(FREQUENCIES, start=1)}
FREQUENCY_CODES = _CODES | {name[0]: code for name, code in _CODES.items()}
"""LVIS writes their first letters."""
_FIELDS = ("absent", "not_exhaustive", "frequency", "ignored")


@dataclass(frozen=True, eq=False)
class Federated:
    """The checked labels of images, and how their true objects count.

    Attributes:
        labels: vocabulary of the lists.
        absent: per image the labels that are verified to be absent; ragged `label`.
        not_exhaustive: per image the labels whose objects are not all annotated; ragged `label`.
        frequency: code of the frequency of each true object's label.
        ignored: which true objects may be missed; one prediction may take each.
    """

    labels: Vocabulary
    absent: Ragged
    not_exhaustive: Ragged
    frequency: npt.NDArray[np.uint8]
    ignored: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, entry: Any, objects: int) -> Self:
        """Read what was annotated in one image.

        Args:
            entry: a dict of `absent` and `not_exhaustive` (lists of labels), `frequency` (per object `rare`,
                `common`, `frequent` or None) and `ignored` (0 or 1 per object); all may be left out.
            objects: number of true objects.

        Raises:
            InputError: for anything else.
        """
        if isinstance(entry, cls):
            return entry
        if not isinstance(entry, Mapping) or not set(entry) <= set(_FIELDS):
            raise InputError(f"federated is {entry!r:.80}; give a dict of {', '.join(_FIELDS)}")
        lists = [[Label.of(label) for label in entry.get(name) or ()] for name in _FIELDS[:2]]
        labels = vocabulary_of(label for names in lists for label in names)
        frequency = list(entry.get("frequency") or (None,) * objects)
        unknown = next((name for name in frequency if name is not None and name not in FREQUENCY_CODES), None)
        if unknown is not None or len(frequency) != objects:
            shown = (
                f"{unknown!r}"
                if unknown is not None
                else f"given for {len(frequency)} of {counted(objects, 'object')}"
            )
            raise InputError(f"frequency is {shown}; give {', '.join(FREQUENCIES)} or None for each object")
        ignored = entry.get("ignored")
        if ignored is not None and len(ignored) != objects:
            raise InputError(
                f"ignored has {counted(len(ignored), 'entry', 'entries')} for {counted(objects, 'object')}; "
                "give one for each"
            )
        absent, not_exhaustive = (Ragged([len(names)], {"label": encode(names, labels)}) for names in lists)
        return cls(
            labels,
            absent,
            not_exhaustive,
            np.array([FREQUENCY_CODES.get(name, 0) for name in frequency], np.uint8),
            checked_flags("ignored", ignored, objects),
        )

    @classmethod
    def nothing(cls, images: int, objects: int) -> Self:
        """Images without lists."""
        lists = Ragged(np.zeros(images, np.int64), {"label": np.zeros(0, np.int64)})
        return cls((), lists, lists, np.zeros(objects, np.uint8), np.zeros(objects, bool))

    def take(self, images: Any, objects: Any) -> Self:
        """Some images and their objects, at slices or positions."""
        places = np.arange(self.absent.size)[images]
        return type(self)(
            self.labels,
            self.absent.take(places),
            self.not_exhaustive.take(places),
            self.frequency[objects],
            self.ignored[objects],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the images of several parts."""
        labels, recodings = merge_vocabularies([part.labels for part in parts])
        absent, not_exhaustive = (
            Ragged.concatenate(
                [
                    one.with_columns({"label": new[one["label"]].astype(np.int64)})
                    for one, new in zip(column, recodings, strict=True)
                ]
            )
            for column in ([part.absent for part in parts], [part.not_exhaustive for part in parts])
        )
        frequency = np.concatenate([part.frequency for part in parts])
        return cls(
            labels, absent, not_exhaustive, frequency, np.concatenate([part.ignored for part in parts])
        )

    def groups(self, labels: Vocabulary) -> tuple[Int64s, Int64s]:
        """Numbers of the pairs of an image and a label that are absent, and not exhaustive.

        Args:
            labels: the vocabulary of objects; the number of a pair is image * labels + label.
        """
        place = {label: code for code, label in enumerate(labels)}
        codes = np.array([*(place.get(label, -1) for label in self.labels), -1], np.int64)
        first, second = (_groups(column, codes, len(labels)) for column in (self.absent, self.not_exhaustive))
        return first, second

    def content(self) -> dict[str, npt.NDArray[Any]]:
        """The content as arrays of numbers, for hashing: the same for any order of the vocabulary."""
        used = np.unique(np.concatenate([self.absent["label"], self.not_exhaustive["label"]]))
        order = sorted(used.tolist(), key=self.labels.__getitem__)
        texts = json.dumps([self.labels[code] for code in order]).encode()
        codes = np.zeros(len(self.labels), np.int64)
        codes[order] = np.arange(len(order))
        arrays = {"frequency": self.frequency, "ignored": self.ignored}
        arrays["checked"] = np.frombuffer(texts, np.uint8)
        for name, column in (("absent", self.absent), ("not_exhaustive", self.not_exhaustive)):
            arrays |= {f"{name}_lengths": column.lengths, name: codes[column["label"]]}
        return arrays

    def plain(self) -> dict[str, Any]:
        """One image as the dict that `of` reads."""
        names = [label.plain() for label in self.labels]
        lists = (self.absent, self.not_exhaustive)
        values: list[Any] = [[names[code] for code in column["label"].tolist()] for column in lists]
        values.append([FREQUENCIES[code - 1] if code else None for code in self.frequency.tolist()])
        return dict(zip(_FIELDS, [*values, self.ignored.tolist()], strict=True))


def joined_federated(parts: Sequence[tuple[int, int, Federated | None]]) -> Federated | None:
    """What was annotated in several parts; None if no part says so.

    Args:
        parts: number of images and objects, and what was annotated, of each.
    """
    if all(federated is None for *_, federated in parts):
        return None
    return Federated.concatenate(
        [Federated.nothing(images, objects) if known is None else known for images, objects, known in parts]
    )


def _groups(column: Ragged, codes: Int64s, labels: int) -> Int64s:
    label = codes[column["label"]]
    return np.asarray((column.owners * labels + label)[label >= 0], dtype=np.int64)
