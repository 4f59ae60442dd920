"""What a page says about its items: how many, which are left out, and what is cut."""

from collections.abc import Sequence
from typing import Any

from thresher.counted import counted
from thresher.reports.html.items.payload import Payload
from thresher.reports.html.numbers import count, letter
from thresher.reports.runs.run_data import RunData


def sizes_of(runs: Sequence[RunData]) -> str:
    """Return how many items the runs have."""
    sizes = [counted(len(run), "item", form=",") for run in runs]
    if len(runs) == 1:
        return sizes[0]
    if len(set(sizes)) == 1:
        return f"{sizes[0]} in each run; A is the baseline"
    by_run = ", ".join(f"{size} in {letter(run)}" for run, size in enumerate(sizes))
    return f"{by_run}; A is the baseline"


def items_section(packed: Payload | None, seed: int) -> dict[str, Any]:
    """Return the content of the section of the items."""
    if packed is None:
        return {"payload": "", "embedded": 0, "limits": [], "sliders": False}
    limits = [
        sentence
        for sentence in (_left_out(packed, seed), pictures_left_out_note(packed), _cut(packed))
        if sentence
    ]
    return {"payload": packed.text, "embedded": packed.embedded, "limits": limits, "sliders": packed.sliders}


def _left_out(packed: Payload, seed: int) -> str:
    """Say which items are not in the file; empty if all are."""
    if packed.items and not packed.embedded:
        return (
            f"None of the {counted(packed.items, 'item', form=',')} fits into this file: raise its limit "
            "(--max-mb, max_bytes=). All figures above cover all items."
        )
    if packed.embedded == packed.items:
        return ""
    parts = ", ".join(f"{count(number)} {name}" for name, number in packed.selected.items() if number)
    return (
        f"{count(packed.embedded)} of {counted(packed.items, 'item', form=',')} are in this file, selected "
        f"as: {parts} (seed {seed}). All figures above cover all items."
    )


def pictures_left_out_note(packed: Payload) -> str:
    """Say how many pictures are not in the file; empty if all are."""
    if not packed.pictures_left_out:
        return ""
    return (
        f"{count(packed.pictures_left_out)} of {counted(packed.pictures, 'picture', form=',')} are left out "
        "of this file to keep it small, those of the items listed last; a higher limit (--max-mb, "
        "max_bytes=) embeds more of them."
    )


def _cut(packed: Payload) -> str:
    """Say which texts are shortened; empty if none is."""
    if packed.limits.bulk is None:
        return ""
    what = "Passages and other columns" if packed.limits.rest is None else "Texts"
    most = max(packed.limits.bulk, packed.limits.rest or 0)
    return (
        f"{what} are cut at {counted(most, 'character', form=',')} "
        "to keep the file small; the run contains them in full."
    )
