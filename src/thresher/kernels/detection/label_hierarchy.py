"""Hierarchies of labels: an object of a label is one of every broader label, too."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.federated import Federated
from thresher.results import Label, Ragged
from thresher.results.labels import Vocabulary, encode, vocabulary_of
from thresher.results.ragged import ranges


@dataclass(frozen=True)
class LabelHierarchy:
    """The broader labels of each label. Build it with `LabelHierarchy.of`.

    Attributes:
        ancestors: label -> all broader labels, the nearest first; labels without any are left out.
    """

    ancestors: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, parents: Mapping[Any, Any]) -> Self:
        """Build a hierarchy from the parents of each label.

        Args:
            parents: label -> its next broader label, or a list of several.

        Raises:
            InputError: for anything else, and for a label that is broader than itself.

        >>> LabelHierarchy.of({"car": "vehicle", "taxi": ["car", "service"]}).ancestors["taxi"]
        ('car', 'service', 'vehicle')
        """
        if not isinstance(parents, Mapping):
            raise InputError(f"parents is {parents!r:.80}; give a dict label -> its broader label")
        known = {str(Label.of(label)): _labels(broader) for label, broader in parents.items()}
        return cls({label: _closure(label, known) for label in known if known[label]})

    def expanded(self, objects: Iterable[Any]) -> DetectionColumns:
        """The objects, each followed by a copy for every broader label.

        Labels that are verified to be absent bring their narrower labels with them: an image without vehicles
        has no cars. Expand each side once.

        Args:
            objects: true or predicted objects of images, as the matcher takes them.

        >>> truths = [{"labels": ["car", "dog"], "boxes": [[0, 0, 9, 9], [5, 5, 9, 9]]}]
        >>> [str(label) for label in LabelHierarchy.of({"car": "vehicle"}).expanded(truths)[0].labels]
        ['car', 'vehicle', 'dog']
        """
        columns = DetectionColumns.of(objects)
        broader = [self._with_ancestors(label) for label in columns.labels]
        labels = vocabulary_of(label for row in broader for label in row)
        codes = encode([label for row in broader for label in row], labels)
        sizes = np.array([len(row) for row in broader], np.int64)
        counts = sizes[columns.label]
        copies = columns.repeated(counts)
        return replace(
            copies,
            labels=labels,
            label=codes[ranges((np.cumsum(sizes) - sizes)[columns.label], counts)],
            federated=None if copies.federated is None else self._checked(copies.federated),
        )

    def verified(self, present: Iterable[str], absent: Iterable[str]) -> set[str]:
        """All labels that are verified if some are present in an image and others absent.

        Args:
            present: they bring their broader labels with them.
            absent: they bring their narrower labels with them.
        """
        names = {*present}
        return names.union(*(self.ancestors.get(name, ()) for name in names)) | self._narrower({*absent})

    def _with_ancestors(self, label: Label) -> list[Label]:
        return [label, *(Label(label.key, name) for name in self.ancestors.get(label.value, ()))]

    def _narrower(self, names: set[str]) -> set[str]:
        """Labels and all that are narrower than one of them."""
        return names.union(*(self._descendants.get(name, ()) for name in names))

    @cached_property
    def _descendants(self) -> dict[str, list[str]]:
        """Label -> all narrower labels."""
        narrower = defaultdict(list)
        for label, above in self.ancestors.items():
            for name in above:
                narrower[name].append(label)
        return narrower

    def _checked(self, federated: Federated) -> Federated:
        """What was annotated, with narrower labels of absent ones, and broader ones of incomplete ones."""
        absent, incomplete = (
            [[federated.labels[code] for code in codes] for codes in _split(column)]
            for column in (federated.absent, federated.not_exhaustive)
        )
        narrower = [
            {Label(label.key, name) for label in row for name in self._narrower({label.value})}
            for row in absent
        ]
        broader = [{name for label in row for name in self._with_ancestors(label)} for row in incomplete]
        labels = vocabulary_of(label for row in (*narrower, *broader) for label in row)
        first, second = (_joined(column, labels) for column in (narrower, broader))
        return replace(federated, labels=labels, absent=first, not_exhaustive=second)


def _labels(broader: Any) -> tuple[str, ...]:
    """One or several labels as texts."""
    several = isinstance(broader, Sequence | set) and not isinstance(broader, str)
    return tuple(str(Label.of(label)) for label in (broader if several else [broader]) if label is not None)


def _closure(label: str, parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """All broader labels, the nearest first."""
    found: dict[str, None] = {}
    level = dict.fromkeys(parents[label])
    while level:
        if label in level:
            raise InputError(f"the label {label!r} is broader than itself; remove one of its parents")
        found |= level
        level = {name: None for below in level for name in parents.get(below, ()) if name not in found}
    return tuple(found)


def _split(column: Ragged) -> list[list[int]]:
    return [part.tolist() for part in np.split(column["label"], column.offsets[1:-1])] if column.size else []


def _joined(rows: Sequence[set[Label]], labels: Vocabulary) -> Ragged:
    codes = encode([label for row in rows for label in sorted(row)], labels)
    return Ragged([len(row) for row in rows], {"label": codes.astype(np.int64)})
