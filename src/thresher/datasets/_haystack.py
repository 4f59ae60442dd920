"""What Haystack pipelines and evaluations give, told apart without importing Haystack."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.datasets._flatten import leaf_names
from thresher.datasets._python import from_rows, plain_columns
from thresher.datasets._table import Table
from thresher.errors import InputError
from thresher.results.column_roles import sure_socket

Row = Mapping[str, Any]


def is_haystack(value: Any, kind: str) -> bool:
    """Whether a value is an object of that Haystack class."""
    return any(
        base.__name__ == kind and base.__module__.partition(".")[0] == "haystack"
        for base in type(value).__mro__
    )


def from_evaluation_run(run: Any, limit: int | None) -> Table:
    """An `EvaluationRunResult`: its inputs, and the item scores of each metric under the metric's name."""
    source = f"the evaluation run {run.run_name!r}"
    names = leaf_names(source, [("results", metric) for metric in run.results], set(run.inputs))
    scores = {
        name: outputs["individual_scores"] for name, outputs in zip(names, run.results.values(), strict=True)
    }
    columns = plain_columns(source, {**run.inputs, **scores}, limit)
    return Table(source, columns, nested=frozenset(names), name=run.run_name)


def from_list(source: str, rows: Sequence[Any], limit: int | None) -> Table:
    """Rows, where a row may also be a `GeneratedAnswer` or the output of a pipeline."""
    chosen = rows[:limit]
    if "haystack" not in sys.modules:
        return from_rows(source, chosen, None)
    read = [_row(row, f"{source}, row {number}") for number, row in enumerate(chosen, 1)]
    return from_rows(source, read, None)


def _row(row: Any, where: str) -> Any:
    if is_haystack(row, "GeneratedAnswer"):
        return _answered(row, [], where)
    if not isinstance(row, Mapping):
        return row
    parts = _parts(row)
    if not parts:
        return row
    own = {
        key: value
        for key, value in row.items()
        if key not in parts and not ("" in parts and key in {"answers", "documents"})
    }
    said = {sure_socket(str(key)) for key in own}
    found = _answered(_answer(parts, where), _found_documents(parts), where)
    return {**own, **{socket: value for socket, value in found.items() if socket not in said}}


def _parts(row: Row) -> dict[str, Row]:
    """The outputs of components in a row, by component; "" for the row itself."""
    parts = {
        str(key): value for key, value in row.items() if isinstance(value, Mapping) and _is_output(value)
    }
    if _holds(row.get("answers"), "GeneratedAnswer"):
        parts[""] = row
    return parts


def _is_output(value: Row) -> bool:
    return any(
        _holds(entries, kind)
        for entries in value.values()
        for kind in ("GeneratedAnswer", "Document", "ChatMessage")
    )


def _holds(entries: Any, kind: str) -> bool:
    return isinstance(entries, list) and any(is_haystack(entry, kind) for entry in entries)


def _answer(parts: Mapping[str, Row], where: str) -> Any:
    """The first of the answers; only one component may have given some."""
    giving = [name for name, part in parts.items() if _holds(part.get("answers"), "GeneratedAnswer")]
    if len(giving) > 1:
        told = " and ".join(repr(name) for name in giving)
        raise InputError(f"{where}: {told} both hold answers; keep the output of one")
    return parts[giving[0]]["answers"][0] if giving else None


def _found_documents(parts: Mapping[str, Row]) -> list[Sequence[Any]]:
    return [part["documents"] for part in parts.values() if isinstance(part.get("documents"), list)]


def _answered(answer: Any, found: list[Sequence[Any]], where: str) -> dict[str, Any]:
    """An answer as sockets: the contexts are what it was written from, the documents what was retrieved."""
    written_from = list(answer.documents or []) if answer is not None else []
    if len(found) > 1 and not written_from:
        raise InputError(f"{where}: {len(found)} components gave documents; keep the output of one")
    retrieved = list(found[0]) if len(found) == 1 else written_from
    texts = [document.content for document in written_from or retrieved if document.content is not None]
    sockets: dict[str, Any] = {"contexts": texts, "retrieved_documents": retrieved}
    if answer is not None:
        sockets |= {"questions": answer.query, "predicted_answers": answer.data}
    return sockets
