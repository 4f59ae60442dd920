"""The section of the pictures: the worst images with what is known of them."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.comparisons.join import Join, join
from thresher.reports.html.items.columns import parts_of
from thresher.reports.html.items.objects import is_objects
from thresher.reports.html.items.payload import squeezed
from thresher.reports.html.numbers import count
from thresher.reports.html.pictures.card_pair import CardPair
from thresher.reports.html.pictures.cards import Cards
from thresher.reports.html.pictures.decision_cards import DecisionCards, decision_result
from thresher.reports.html.pictures.fitting import FittedPictures, Thumbnails, enlarged, fitted
from thresher.reports.html.pictures.folder import PictureFolder
from thresher.reports.html.pictures.image_columns import ImageColumns
from thresher.reports.html.pictures.map_cards import MapCards, map_result
from thresher.reports.html.pictures.object_pair import ObjectPair
from thresher.reports.html.pictures.objects import ObjectPictures
from thresher.reports.html.pictures.panoptic_cards import PanopticCards, panoptic_result
from thresher.reports.html.pictures.subject import Subject
from thresher.reports.html.pictures.thumbnails import LARGE, LONGEST, Picture, Thumbnail, read_thumbnail
from thresher.reports.runs.run_data import RunData

BUDGET = 2_500_000
"""Bytes of the page for pictures by default: half of what a page has."""
IMAGE_LIMIT = "--image-budget, image_bytes="
_PICTURES, _PER_MEGABYTE = 150, 120
"""Images that are shown at most, unless the room for thumbnails holds more of 160 pixels."""
_SHARE = 0.5
"""Room of the thumbnails, where there are large pictures too."""
_MOST_PIXELS = 4096
_NAMED = 3
"""Problems that the page names."""


@dataclass(frozen=True)
class PicturesSection:
    """The packed pictures, and how complete they are.

    Attributes:
        payload: base64 of gzip of JSON.
        sentences: what is shown, and what is not.
        problem: says which pictures are missing; empty if none is.
    """

    payload: str
    sentences: list[str]
    problem: str


def check_pixels_of_pictures(pixels: object) -> None:
    """Raise unless `pixels` is a size of large pictures.

    Raises:
        InputError: says which sizes there are.
    """
    whole = isinstance(pixels, int) and not isinstance(pixels, bool)
    if not (whole and LONGEST <= pixels <= _MOST_PIXELS):  # type: ignore[operator]
        limits = f"from {LONGEST} (no large pictures) to {_MOST_PIXELS}"
        raise InputError(f"image_pixels={pixels!r} (--image-pixels) must be a whole number {limits}")


def pictures_section(
    run: RunData,
    images: str | Path,
    room: int,
    sliced: Sequence[str] = (),
    *,
    other: RunData | None = None,
    limit: str = IMAGE_LIMIT,
    pixels: int = LARGE,
) -> PicturesSection:
    """Return the pictures of the worst images of a run, or of those on which two runs differ most.

    Args:
        run: the run.
        images: the folder of the pictures.
        room: bytes in the page.
        sliced: columns by which the report is sliced; images can be filtered by them.
        other: a run that is compared with this one.
        limit: the options that give more room.
        pixels: of the longer side of the large pictures that the first images get.

    Raises:
        InputError: if `images` is not a folder, or the run has nothing to draw on images.
        MissingDependencyError: without the extra `vision`.
    """
    folder, columns, subject = PictureFolder(images), ImageColumns(run, sliced), _subject(run)
    items = len(run)
    if other is not None:
        joined = join(run, other)
        items, subject = len(joined.here), _pair(subject, _subject(other), joined)

    def read(row: int, longest: int = LONGEST) -> Picture:
        def photo() -> Thumbnail:
            return _read(folder.find(columns.names(row)), columns.size(row), longest)

        return subject.picture(row, photo, longest)

    thumbnails = Thumbnails(read)

    def data(rows: Sequence[int], pictures: Mapping[int, Picture], chosen: FittedPictures | None) -> Any:
        addresses = {} if chosen is None else chosen.addresses
        entries = [
            columns.entry(row)
            | subject.entry(row, _size(columns.size(row), pictures.get(row)))
            | {"pictures": addresses.get(row, {}), "problem": thumbnails.problems.get(row)}
            for row in rows
        ]
        large = {} if chosen is None else {"enlarged": chosen.enlarged, "pixels": chosen.longest}
        return subject.header() | {"images": entries, "facets": columns.facet_names} | large

    share = 1.0 if pixels == LONGEST else _SHARE
    most = max(_PICTURES, int(room * share * _PER_MEGABYTE / 1_000_000))
    chosen = fitted(
        subject.rows,
        lambda rows, pictures: len(squeezed(data(rows, pictures, None))) * 4 // 3,
        thumbnails,
        most=most,
        room=room,
        share=share,
    )
    if pixels > LONGEST:
        chosen = enlarged(chosen, lambda row: read(row, pixels), longest=pixels, room=room)
    known = thumbnails.of(chosen.rows)
    payload = base64.b64encode(squeezed(data(chosen.rows, known, chosen))).decode("ascii")
    shown = _shown(items, chosen, pixels, limit), *subject.sentences(chosen.rows)
    problem = _problem(chosen.rows, thumbnails.problems)
    return PicturesSection(payload, [*shown, *([problem] if problem else [])], problem)


def _read(path: Path, size: tuple[int, int] | None, longest: int) -> Thumbnail:
    """Read a picture; the page does not say in which folder it is."""
    try:
        return read_thumbnail(path, size, longest)
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from error


def _subject(run: RunData) -> Subject:
    columns = {part: run.inputs[name] for name, part in parts_of(run.inputs).items()}
    predictions, truths = columns.get("predictions"), columns.get("truths")
    maps, segments, decisions = map_result(run), panoptic_result(run), decision_result(run)
    if predictions is not None and truths is not None:
        if maps is not None:
            return MapCards(run, maps)
        if segments is not None:
            return PanopticCards(run, segments)
        some = [next((entry for entry in side if entry is not None), None) for side in (predictions, truths)]
        if all(entry is not None and is_objects(entry) for entry in some):
            return ObjectPictures(run, predictions, truths)
    if decisions is not None:
        return DecisionCards(run, decisions)
    raise InputError(
        "pictures (--images, images=) need a run of object detection, semantic or panoptic segmentation, or "
        "classification; this one has neither objects nor maps nor labels, so leave them out"
    )


def _pair(first: Subject, second: Subject, joined: Join) -> Subject:
    if isinstance(first, ObjectPictures) and isinstance(second, ObjectPictures):
        return ObjectPair(first, second, joined.here, joined.there)
    if isinstance(first, Cards) and isinstance(second, Cards) and type(first) is type(second):
        return CardPair(first, second, joined.here, joined.there)
    raise InputError("pictures (--images, images=) compare two runs of one task; leave them out here")


def _size(stated: tuple[int, int] | None, picture: Picture | None) -> tuple[int, int] | None:
    return stated or (None if picture is None else (picture.width, picture.height))


def _shown(images: int, chosen: FittedPictures, pixels: int, limit: str) -> str:
    if not chosen.rows:
        return f"None of {counted(images, 'image', form=',')} fits; raise their limit ({limit})."
    size = f"{chosen.longest} px" if chosen.addresses else "without pictures"
    shown = f"{count(len(chosen.rows))} of {counted(images, 'image', form=',')} shown, {size}"
    whole = chosen.enlarged == len(chosen.rows)
    if pixels == LONGEST or not chosen.addresses or (whole and not chosen.largest):
        return f"{shown}."
    if not chosen.enlarged:
        return f"{shown}; no larger picture fits."
    first = "all" if whole else f"the first {count(chosen.enlarged)}"
    return f"{shown}; {first} with pictures of up to {chosen.largest} px."


def _problem(rows: Sequence[int], problems: Mapping[int, str]) -> str:
    """Say how many images have no picture, and why the first ones have none."""
    absent = [row for row in rows if row in problems]
    if not absent:
        return ""
    reasons = list(dict.fromkeys(problems[row] for row in absent))
    named = "; ".join(reasons[:_NAMED]) + (", and others" if len(reasons) > _NAMED else "")
    return f"{count(len(absent))} of {counted(len(rows), 'image', form=',')} shown lack a picture: {named}."
