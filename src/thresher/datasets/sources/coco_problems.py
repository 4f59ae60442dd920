"""The problem of COCO files that `read_coco` names, found in memory that does not grow with their objects."""

from collections.abc import Callable, Iterable
from pathlib import Path

from thresher.datasets._coco_geometries import ReadShapes
from thresher.datasets._coco_index import CocoIndex, check_lists, not_results
from thresher.datasets._coco_keys import KeyOptions, ResultKeys
from thresher.datasets._coco_lvis import LvisLists, Protocol, check_protocol, has_frequency, has_lists
from thresher.datasets._coco_rows import CocoList
from thresher.datasets.coco import coco_objects
from thresher.datasets.sources.coco_stage import lists_named, result_references
from thresher.datasets.sources.row_ids import Keys
from thresher.errors import InputError
from thresher.files.json_lists import read_lists


def refuse_coco(
    truths: Path,
    predictions: Path | None,
    geometries: ReadShapes,
    options: KeyOptions,
    *,
    protocol: Protocol,
) -> None:
    """Raise the error of `read_coco`, if there is one.

    Args:
        truths: the ground truth.
        predictions: the predictions.
        geometries: as in `read_coco`.
        options: the user's choices about results.
        protocol: as in `read_coco`.

    Raises:
        InputError: for the first of the entries that fail the earliest check.
    """
    check_lists(truths, {entries.key for entries in read_lists(truths, exact=True)})
    for part in ("annotations", "images", "categories"):
        _check_ids(truths, part)
    index = _index(truths)
    _check_lists(truths, index, protocol)
    _check_objects(index, lists_named(truths, "annotations"), geometries, scored=False)
    if predictions is not None:
        if None not in {entries.key for entries in read_lists(predictions, exact=True)}:
            raise not_results(predictions)
        keys = ResultKeys.infer(options, index.references, result_references(predictions))
        rows = lists_named(predictions, None, "results")
        _check_objects(index.of_results(keys), rows, geometries, scored=True)


def _check_objects(
    index: CocoIndex, blocks: Iterable[CocoList], geometries: ReadShapes, *, scored: bool
) -> None:
    _refuse_first(blocks, lambda rows: coco_objects(index, rows, geometries, scored=scored))


def _index(truths: Path) -> CocoIndex:
    """The images without further columns, and the categories."""
    categories = [row for rows in lists_named(truths, "categories") for row in rows.rows]
    index = CocoIndex.of(truths, [], categories)
    images = {
        key: (row.get("height"), row.get("width"), row.get("file_name"))
        for rows in lists_named(truths, "images")
        for key, row in zip(rows.keys("id"), rows.rows, strict=True)
    }
    sizes = [(height, width) for height, width, _ in images.values()]
    names = [name for *_, name in images.values()]
    about = {"file_name": names} if all(isinstance(name, str | int | float | None) for name in names) else {}
    return CocoIndex(
        {key: place for place, key in enumerate(images)}, sizes, index.categories, index.labels, about
    )


def _check_lists(path: Path, index: CocoIndex, protocol: Protocol) -> None:
    """Raise the error of the lists of LVIS."""
    categories = [row for rows in lists_named(path, "categories") for row in rows.rows]
    lists = (has_lists(row) for rows in lists_named(path, "images") for row in rows.rows)
    is_lvis = has_frequency(categories) or any(lists)
    check_protocol(protocol, path, found=is_lvis)
    if is_lvis and protocol != "coco":
        blocks = lists_named(path, "images")
        _refuse_first(blocks, lambda rows: LvisLists.of(rows, index.categories, ()))


def _refuse_first(blocks: Iterable[CocoList], check: Callable[[CocoList], object]) -> None:
    """Raise the error of checking all blocks at once.

    A check of all entries fails at the earliest of its steps, whichever block has the entry. So the first
    block that fails is checked together with every later one that does.
    """
    failing: CocoList | None = None
    problem: InputError | None = None
    for rows in blocks:
        try:
            check(rows)
        except InputError as error:
            its = error if failing is None else _problem(_joined(failing, rows), check)
            if problem is None or str(its) != str(problem):
                failing, problem = rows, its
    if problem is not None:
        raise problem


def _problem(rows: CocoList, check: Callable[[CocoList], object]) -> InputError:
    try:
        check(rows)
    except InputError as error:
        return error
    raise AssertionError("blocks that fail alone do not fail together")


def _joined(first: CocoList, second: CocoList) -> CocoList:
    positions = [*(first.positions or ()), *(second.positions or ())]
    return CocoList(first.path, first.part, [*first.rows, *second.rows], positions)


def _check_ids(path: Path, part: str) -> None:
    """Raise the error of `CocoList.places_of_ids` for a list of a file."""
    _refuse_first(lists_named(path, part), lambda rows: rows.keys("id"))
    hashes, kind, mixed = Keys(), None, None
    for rows in lists_named(path, part):
        keys = rows.keys("id")
        kind = kind or next(map(type, keys), None)
        if mixed is None:
            at = next((at for at, key in enumerate(keys) if type(key) is not kind), None)
            if at is not None:
                mixed = rows.position(at), rows.where(at)
        hashes.add_ids([*map(str, keys)])
    suspects = [row for row in hashes.suspects() if mixed is None or row[0] < mixed[0]]
    _refuse_repeats(path, part, suspects)
    if mixed is not None:
        raise InputError(f"{mixed[1]}: ids of {part} are numbers and texts; give one kind")


def _refuse_repeats(path: Path, part: str, suspects: list[tuple[int, int, int]]) -> None:
    """Raise if two entries of one hash have one id."""
    needed = {row for rows in suspects for row in rows}
    known = {}
    for rows in lists_named(path, part) if needed else ():
        for at, key in enumerate(rows.keys("id")):
            if rows.position(at) in needed:
                known[rows.position(at)] = key, rows.where(at)
    for row, *others in suspects:
        for other in others:
            if known[row][0] == known[other][0]:
                raise InputError(f"{known[row][1]} has an id that {part}[{other}] has too")
