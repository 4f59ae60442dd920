"""Whether stored parts are of the run in whose place they are."""

from thresher.errors import DamagedRunError
from thresher.pipelines.parts import ForeignPartError
from thresher.pipelines.stored_parts import StoredParts


def are_of_this_run(parts: StoredParts) -> bool:
    """Whether at least one part is whole and of this run, or there is none, and no part is of another."""
    usable, foreign = _count(parts)
    return not foreign and (bool(usable) or not parts.numbers())


def are_of_another_run(parts: StoredParts) -> bool:
    """Whether a part is of another run or chunk, and none is whole and of this run."""
    usable, foreign = _count(parts)
    return bool(foreign) and not usable


def _count(parts: StoredParts) -> tuple[int, int]:
    """Parts that can be used, and whole parts of other runs or chunks."""
    usable = foreign = 0
    for number in parts.numbers():
        try:
            parts.read_facts(number)
            usable += 1
        except ForeignPartError:
            foreign += 1
        except DamagedRunError:
            continue
    return usable, foreign
