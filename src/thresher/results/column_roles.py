"""Assign columns to sockets by their names and entries, and report guesses and ambiguities."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from thresher.results.column_names import Side, key_of, side_of
from thresher.results.column_vocabulary import KNOWN_NAMES
from thresher.results.entry_kinds import kind_of_entries
from thresher.results.open_columns import FITTING, Columns
from thresher.results.vocabulary import VOCABULARY
from thresher.surface import reading_with

_SURE = {known.column: known.socket for known in KNOWN_NAMES if known.rank == "always"}
_CONDITIONAL = frozenset(known.column for known in KNOWN_NAMES if known.rank == "conditional")
_FALLBACKS = tuple(known for known in KNOWN_NAMES if known.rank in ("clear", "loose"))
_PREFERENCE = {
    name: place
    for place, name in enumerate(dict.fromkeys([*VOCABULARY, *(known.column for known in KNOWN_NAMES)]))
}
_LABELS = {
    known.column: known.socket for known in KNOWN_NAMES if known.socket in {"ground_truths", "predictions"}
}
_DEEPEVAL = frozenset({"input", "actual_output", "expected_output", "retrieval_context"})
_TRUE_LABELS = frozenset({"y_true", "true_label", "true_class", "truth", "class"})
_PREDICTED_LABELS = frozenset({"y_pred", "predicted_label", "predicted_class", "predictions"})
_QUESTIONS_OR_CHATS = frozenset({"messages", "user_input"})
"""Names of questions in one data set and of whole conversations in another."""
_AMBIGUOUS = ("label", "target")
"""Names of true labels or of reference answers."""
SIDES: Mapping[str, Side] = {
    "questions": "question",
    "predicted_answers": "answer",
    "second_predicted_answers": "answer",
    "contexts": "answer",
    "retrieved_documents": "answer",
    "predictions": "answer",
    "ground_truth_answers": "reference",
    "ground_truth_contexts": "reference",
    "ground_truth_documents": "reference",
    "ground_truths": "reference",
}
"""Socket -> the side that a column for it may be on."""


def _names_of(*sockets: str) -> frozenset[str]:
    return frozenset({*sockets, *(known.column for known in KNOWN_NAMES if known.socket in sockets)})


_ANSWERS = _names_of("predicted_answers") | {"answer"}
_REFERENCES = (_ANSWERS | _names_of("ground_truth_answers")) - {"label", "__expected"}
_PASSAGES = _names_of("contexts") | {"context"}
_DOCUMENTS = _names_of("retrieved_documents", "ground_truth_documents")
_INNER: Mapping[tuple[str, str], str] = {
    **{("question", name): "questions" for name in _names_of("questions")},
    **{("answer", name): "predicted_answers" for name in _ANSWERS},
    **{("reference", name): "ground_truth_answers" for name in _REFERENCES},
    **{(side, name): "contexts" for side in ("question", "answer") for name in _PASSAGES},
    **{("answer", name): "retrieved_documents" for name in _DOCUMENTS},
    **{("reference", name): "ground_truth_contexts" for name in _PASSAGES},
    **{("reference", name): "ground_truth_documents" for name in _DOCUMENTS},
}
"""Side of the outer keys, and innermost key -> socket."""
_OUTER = sorted(
    _names_of("questions", "predicted_answers", "ground_truth_answers")
    - {"answer", "answers", "label", "messages"},
    key=len,
    reverse=True,
)
"""Names before which an underscore may separate the keys of an object that was flattened."""
_IF_WRONG = "; if that is wrong, pass "


@dataclass(frozen=True)
class Roles:
    """The meaning of columns.

    Attributes:
        sockets: column -> socket, in the order of the columns; columns not listed keep their names. Two
            columns may have one socket if both names are sure.
        notes: sentences about guessed meanings and about names that stay ambiguous.
    """

    sockets: Mapping[str, str]
    notes: tuple[str, ...] = ()


def sure_socket(column: str) -> str | None:
    """The socket that a column name means by itself; None if it is unknown or depends on other columns."""
    key = key_of(column)
    if key == "ground_truths" or key in _CONDITIONAL - set(VOCABULARY) - set(_SURE):
        return None
    return key if key in VOCABULARY else _SURE.get(key)


def path_of(column: str) -> tuple[str, ...]:
    """The keys in the name of a flattened column, the outer one first.

    >>> path_of("outputs.answer"), path_of("reference_outputs_answer"), path_of("model_answer")
    (('outputs', 'answer'), ('reference_outputs', 'answer'), ('model_answer',))
    """
    parts = tuple(filter(None, re.split(r"[./:]+", column.strip())))
    key = key_of(column)
    if len(parts) > 1 or key in _PREFERENCE:
        return parts or (column,)
    outer = next((name for name in _OUTER if key.startswith(f"{name}_")), None)
    return (column,) if outer is None else (outer, key.removeprefix(f"{outer}_"))


def nested_socket(path: Sequence[str]) -> str | None:
    """The socket of a nested column: outer keys say whose it is, the innermost one what; None if unclear.

    >>> nested_socket(("outputs", "answer")), nested_socket(("expectedOutput", "answer"))
    ('predicted_answers', 'ground_truth_answers')
    >>> nested_socket(("inputs", "answer")), nested_socket(("outputs", "note")), nested_socket(("answer",))
    (None, None, None)
    """
    side = side_of(*path)
    if side is None or side_of(*path[:-1]) != side:
        return None
    return _INNER.get((side, key_of(path[-1])))


def assign_roles(columns: Columns) -> Roles:
    """Assign roles by the table of names and the kinds of entries."""
    return _Assignment(columns).roles()


def roles_of(entries: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Column -> socket for the inputs of a run; if two names claim one socket, the surer one gets it.

    >>> roles_of({"question": ["q"], "answer": ["a"], "ground_truth": ["r"], "topic": ["t"]})
    {'question': 'questions', 'answer': 'predicted_answers', 'ground_truth': 'ground_truth_answers'}
    """
    sockets = assign_roles(Columns(entries)).sockets
    best: dict[str, str] = {}
    for column in sorted(sockets, key=_preference):
        best.setdefault(sockets[column], column)
    return {column: socket for column, socket in sockets.items() if best[socket] == column}


def columns_for(socket: str, entries: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns of a run with that socket, the surest name first.

    >>> columns_for("questions", {"user_input": ["q"], "question": ["q"], "topic": ["t"]})
    ['question', 'user_input']
    """
    names = {socket, *(known.column for known in KNOWN_NAMES if known.socket == socket)}
    # Other columns, such as all boxes of a stored run, need not be read to learn the kinds of their entries.
    if names.isdisjoint(map(key_of, entries)):
        return []
    sockets = assign_roles(Columns(entries)).sockets
    return sorted((column for column, name in sockets.items() if name == socket), key=_preference)


def _preference(column: str) -> int:
    return _PREFERENCE.get(key_of(column), len(_PREFERENCE))


def without_guesses(notes: Iterable[str], unused: Mapping[str, str]) -> list[str]:
    """Return notes without the guesses about columns that are not used.

    Args:
        notes: notes of `assign_roles`.
        unused: column -> the socket that it was read as.
    """
    guesses = {_guess(column, socket) for column, socket in unused.items()}
    rest = []
    for note in notes:
        listed, wrong, remedy = note.removeprefix("read ").partition(_IF_WRONG)
        if wrong:
            used = ", ".join(guess for guess in listed.split(", ") if guess not in guesses)
            rest += [f"read {used}{wrong}{remedy}"] if used else []
        elif not any(f"{column!r} is read as {socket};" in note for column, socket in unused.items()):
            rest.append(note)
    return rest


def _guess(column: str, socket: str) -> str:
    return f"{column!r} as {socket}"


class _Assignment:
    """The rules, applied from the surest to the loosest: what is settled decides about what is not."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._keys = {column: key_of(column) for column in columns.entries if column not in columns.paths}
        self._names = frozenset(self._keys.values()) | frozenset(map(key_of, columns.settled))
        self._sockets: dict[str, str] = {}
        self._contested: set[str] = set()
        self._guessed: dict[str, str] = {}
        self._notes: list[str] = []

    def roles(self) -> Roles:
        """Apply all rules."""
        for column in self._keys:
            if socket := "conversations" if self._holds_conversations(column) else sure_socket(column):
                self._sockets[column] = socket
        self._assign_hugging_face_predictions()
        for column, key in self._keys.items():
            if socket := self._conditional_socket(column, key):
                self._sockets[column] = socket
        self._assign_nested()
        self._fall_back(["questions"])
        self._assign_answer(only_if_sure=True)
        self._fall_back(["predicted_answers"])
        self._assign_answer()
        self._fall_back([socket for socket in FITTING if socket not in {"questions", "predicted_answers"}])
        self._note_guesses()
        ordered = {
            column: self._sockets[column] for column in self._columns.entries if column in self._sockets
        }
        return Roles(ordered, tuple(self._notes))

    def _claimed(self, socket: str) -> bool:
        return socket in self._columns.claimed or socket in self._sockets.values()

    def _holds_conversations(self, column: str) -> bool:
        """Whether a column that may hold questions holds whole conversations."""
        if self._keys[column] not in _QUESTIONS_OR_CHATS or self._claimed("conversations"):
            return False
        return self._columns.kind(column) == "conversation"

    def _assign_hugging_face_predictions(self) -> None:
        """`predictions` next to `references` are answers, not labels."""
        column = self._column("predictions")
        if (
            column is not None
            and self._claimed("ground_truth_answers")
            and not self._claimed("predicted_answers")
            and self._names.isdisjoint({"ground_truths", *_TRUE_LABELS, *_AMBIGUOUS})
            and "ground_truths" not in self._columns.claimed
            and self._columns.kind(column) == "text"
        ):
            self._sockets[column] = self._guessed[column] = "predicted_answers"

    def _conditional_socket(self, column: str, key: str) -> str | None:
        """The socket of a name that several frameworks use differently; None if nothing decides."""
        if key in _LABELS:
            sockets = {_LABELS.get(name, name) for name in self._names} | self._columns.claimed
            return _LABELS[key] if sockets >= set(_LABELS.values()) else None
        if key == "ground_truths":
            answers = kind_of_entries([self._columns.first(column)]) in FITTING["ground_truth_answers"]
            return "ground_truth_answers" if answers and "predictions" not in self._names else key
        if key != "context":
            return None
        if self._columns.holds_lists(column):
            gold = self._claimed("contexts") or not _DEEPEVAL.isdisjoint(self._names)
            return "ground_truth_contexts" if gold else None
        return "ground_truth_contexts" if self._claimed("contexts") else "contexts"

    def _assign_nested(self) -> None:
        """Give each unclaimed socket to the only nested column that fits it and whose keys mean it."""
        candidates: dict[str, list[str]] = {}
        for column in self._columns.entries:
            socket = nested_socket(self._columns.paths.get(column) or path_of(column))
            if socket and not self._claimed(socket) and self._columns.kind(column) in FITTING[socket]:
                candidates.setdefault(socket, []).append(column)
        for socket, columns in candidates.items():
            if len(columns) == 1:
                self._sockets[columns[0]] = self._guessed[columns[0]] = socket
            else:
                self._contested.add(socket)
                self._note_contested(columns, socket)

    def _shown(self, column: str) -> str:
        """The name by which a column can be mapped, with the keys above a nested one."""
        return ".".join(self._columns.paths.get(column, (column,)))

    def _assign_answer(self, *, only_if_sure: bool = False) -> None:
        """`answer` is the predicted answer; next to another column of predicted answers, the reference.

        Args:
            only_if_sure: decide only without a guess at the column of predicted answers. A column of
                references is enough: then `answer` cannot be the reference.
        """
        column = self._column("answer")
        if column is None or column in self._sockets:
            return
        listed = isinstance(self._columns.first(column), list)
        predicted = self._claimed("predicted_answers") or "predicted_answers" in self._contested
        if only_if_sure and not (listed or predicted or self._has_reference()):
            return
        self._sockets[column] = "ground_truth_answers" if listed or predicted else "predicted_answers"

    def _has_reference(self) -> bool:
        socket = "ground_truth_answers"
        names = {known.column for known in _FALLBACKS if known.socket == socket}
        return self._claimed(socket) or any(
            key in names and self._fits(column, socket) for column, key in self._keys.items()
        )

    def _column(self, key: str) -> str | None:
        return next((column for column, own in self._keys.items() if own == key), None)

    def _fall_back(self, sockets: Collection[str]) -> None:
        """Give each unclaimed socket to the only column of the surest rank that fits it."""
        chosen = [known for known in _FALLBACKS if known.socket in sockets]
        for (socket, _), group in groupby(chosen, key=lambda known: (known.socket, known.rank)):
            names = {known.column for known in group}
            candidates = [
                column for column, key in self._keys.items() if key in names and self._fits(column, socket)
            ]
            if not candidates or socket in self._contested:
                continue
            if self._claimed(socket):
                self._note_unused(candidates, socket)
            elif len(candidates) == 1:
                self._sockets[candidates[0]] = self._guessed[candidates[0]] = socket
            else:
                self._contested.add(socket)
                self._note_contested(candidates, socket)

    def _fits(self, column: str, socket: str) -> bool:
        """Whether a column's entries and the other columns allow its name to mean the socket."""
        key, kind = self._keys[column], self._columns.kind(column)
        asked, predicted = self._claimed("questions"), "prediction" in self._names
        if kind not in FITTING[socket]:
            return False
        if key == "messages":
            return kind == "asking"
        if key == "prediction":
            return self._names.isdisjoint({*_TRUE_LABELS, "ground_truths"}) and (
                asked or self._names.isdisjoint(_AMBIGUOUS)
            )
        if key == "target":
            return self._names.isdisjoint(_PREDICTED_LABELS) and (asked or not predicted)
        if key == "label":
            return asked and predicted and kind == "text"
        return key != "__expected" or not self._columns.holds_assertions(column)

    def _note_unused(self, candidates: Iterable[str], socket: str) -> None:
        """Report names that lost the socket to a guess; losing it to a sure name surprises no user."""
        owner = next((column for column, name in self._sockets.items() if name == socket), None)
        if owner is None or sure_socket(owner) is not None:
            return
        for column in candidates:
            self._notes.append(
                f"{column!r} keeps its name, since {owner!r} is read as {socket}; "
                f"to use it instead pass {reading_with((column, socket))}"
            )

    def _note_contested(self, candidates: Sequence[str], socket: str) -> None:
        names = [self._shown(column) for column in candidates]
        self._notes.append(
            f"{' and '.join(map(repr, names))} could all be {socket}, so they keep their names; "
            f"choose one with {reading_with((names[0], socket))}"
        )

    def _note_guesses(self) -> None:
        if self._guessed:
            named = {self._shown(column): socket for column, socket in self._guessed.items()}
            guesses = ", ".join(_guess(column, socket) for column, socket in named.items())
            self._notes.append(f"read {guesses}{_IF_WRONG}{reading_with(('COLUMN', 'SOCKET'))}")
        answer = self._column("answer")
        predicted = self._sockets.get(answer or "") == "predicted_answers"
        if answer and predicted and not self._claimed("ground_truth_answers"):
            self._notes.append(
                f"read {answer!r} as predicted_answers, the answers of the system; if it holds reference "
                f"answers, pass {reading_with((answer, 'ground_truth_answers'))}"
            )
        self._note_labels()

    def _note_labels(self) -> None:
        """`prediction` next to `label` or `target` without a question: a text task, or classification."""
        named = {key: column for column, key in self._keys.items() if column not in self._sockets}
        other = next((named[key] for key in _AMBIGUOUS if key in named), None)
        predicted = named.get("prediction")
        if predicted is None or other is None or {"predictions", "ground_truths"} & self._columns.claimed:
            return
        answers = reading_with((predicted, "predicted_answers"), (other, "ground_truth_answers"))
        labels = reading_with((predicted, "predictions"), (other, "ground_truths"))
        self._notes.append(
            f"{predicted!r} and {other!r} may be answers or labels, so they keep their names; pass "
            f"{answers} for answers, or {labels} for labels"
        )
