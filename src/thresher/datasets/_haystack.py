"""Results of Haystack pipelines and evaluations, recognised without importing Haystack."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.counted import counted
from thresher.datasets._flatten import leaf_names
from thresher.datasets._python import from_rows, plain_columns
from thresher.datasets._table import RawTable
from thresher.errors import InputError
from thresher.results.column_roles import sure_socket

Row = Mapping[str, Any]


def is_haystack(value: Any, kind: str) -> bool:
    """Whether a value is an object of that Haystack class."""
    return any(
        base.__name__ == kind and base.__module__.partition(".")[0] == "haystack"
        for base in type(value).__mro__
    )


def from_evaluation_run(run: Any, limit: int | None) -> RawTable:
    """An `EvaluationRunResult`: its inputs, and the item scores of each metric under the metric's name."""
    source = f"the evaluation run {run.run_name!r}"
    names = leaf_names(source, [("results", metric) for metric in run.results], set(run.inputs))
    scores = {
        name: outputs["individual_scores"] for name, outputs in zip(names, run.results.values(), strict=True)
    }
    columns = plain_columns(source, {**run.inputs, **scores}, limit)
    return RawTable(source, columns, nested=frozenset(names), name=run.run_name)


def from_list(source: str, rows: Sequence[Any], limit: int | None) -> RawTable:
    """Rows, where a row may also be a `GeneratedAnswer` or the output of a pipeline."""
    chosen = rows[:limit]
    if "haystack" not in sys.modules:
        return from_rows(source, chosen, None)
    plain_rows = [_row(row, f"{source}, row {number}") for number, row in enumerate(chosen, 1)]
    return from_rows(source, plain_rows, None)


def _row(row: Any, where: str) -> Any:
    if is_haystack(row, "GeneratedAnswer"):
        return _sockets(row, [], where)
    if not isinstance(row, Mapping):
        return row
    parts = _parts(row)
    if not parts:
        return {key: _plain_messages(value) for key, value in row.items()}
    others = {
        key: value
        for key, value in row.items()
        if key not in parts and not ("" in parts and key in {"answers", "documents"})
    }
    explicit = {sure_socket(str(key)) for key in others}
    sockets = _sockets(_answer(parts, where), _retrieved_documents(parts), where)
    sockets |= _conversation(parts)
    return {**others, **{socket: value for socket, value in sockets.items() if socket not in explicit}}


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
    """The first answer of the only component that gave answers; None without one."""
    sources = [name for name, part in parts.items() if _holds(part.get("answers"), "GeneratedAnswer")]
    if len(sources) > 1:
        names = " and ".join(map(repr, sources))
        raise InputError(f"{where}: {names} both hold answers; include the output of only one")
    return parts[sources[0]]["answers"][0] if sources else None


def _conversation(parts: Mapping[str, Row]) -> dict[str, Any]:
    """The messages of an agent and its last text, if the row has the output of one."""
    agent = next((part for part in parts.values() if _holds(part.get("messages"), "ChatMessage")), None)
    if agent is None:
        return {}
    messages = _plain_messages(agent["messages"])
    reply = getattr(agent["messages"][-1], "text", None)
    return {"conversations": messages} | ({} if reply is None else {"predicted_answers": reply})


def _plain_messages(value: Any) -> Any:
    """Messages of Haystack as dicts; other values are unchanged."""
    if is_haystack(value, "ChatMessage"):
        return value.to_dict()
    return [message.to_dict() for message in value] if _holds(value, "ChatMessage") else value


def _retrieved_documents(parts: Mapping[str, Row]) -> list[Sequence[Any]]:
    return [part["documents"] for part in parts.values() if isinstance(part.get("documents"), list)]


def _sockets(answer: Any, lists: list[Sequence[Any]], where: str) -> dict[str, Any]:
    """An answer as sockets: contexts are the documents it was written from, else those retrieved."""
    written_from = list(answer.documents or []) if answer is not None else []
    if len(lists) > 1 and not written_from:
        raise InputError(
            f"{where}: {counted(len(lists), 'component')} gave documents; include the output of only one"
        )
    retrieved = list(lists[0]) if len(lists) == 1 else written_from
    texts = [document.content for document in written_from or retrieved if document.content is not None]
    sockets: dict[str, Any] = {"contexts": texts, "retrieved_documents": retrieved} if answer or lists else {}
    if answer is not None:
        sockets |= {"questions": answer.query, "predicted_answers": answer.data}
    return sockets
