"""Answer caches of shards on a network disk: a file for each, and their union.

Locks and shared memory of SQLite work within one machine. On a disk that several machines share, one file for
all of them loses answers or is damaged. Keys and answers never change, so the union of files is their merge.
"""

import sqlite3
import warnings
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from thresher.errors import InputError
from thresher.judges.engine.answers import Answers
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.file_connection import open_file
from thresher.judges.engine.network_disk import network_kind
from thresher.surface import given

_UNION = "INSERT OR IGNORE INTO answers SELECT key, prompt, answer FROM other.answers"


def cache_file(path: Path, shard: tuple[int, int] | None) -> Path:
    """The file for one process of a run: on a network disk each shard has its own.

    It first takes over the answers that are known: a shard's those of the common file and of another division
    into shards, the common file those of all shards.

    Args:
        path: the common file.
        shard: `(i, n)`; None for a process that computes all chunks.

    Raises:
        InputError: if the file cannot be used.
    """
    if network_kind(path) is None:
        return path
    target = path if shard is None else shard_file(path, shard)
    others = sorted(path.parent.glob(f"{path.stem}-*-of-*{path.suffix}"))
    if shard is not None:
        others = [other for other in [path, *others] if not other.stem.endswith(f"-of-{shard[1]}")]
    take_over(target, [other for other in others if other.is_file()])
    return target


def shard_file(path: Path, shard: tuple[int, int]) -> Path:
    """The file of one shard.

    >>> shard_file(Path("answers.sqlite"), (2, 4))
    PosixPath('answers-2-of-4.sqlite')
    """
    return path.with_name(f"{path.stem}-{shard[0]}-of-{shard[1]}{path.suffix}")


def check_shared(answers: Answers, shard: tuple[int, int]) -> None:
    """Raise unless shards may use an answer cache at the same time, or it has the name of this one.

    Raises:
        InputError: if it is a file on a network disk.
    """
    if not isinstance(answers, FileAnswers) or answers.path.stem.endswith(f"-{shard[0]}-of-{shard[1]}"):
        return
    kind = network_kind(answers.path)
    if kind is not None:
        raise InputError(
            f"the answer cache {answers.path} is on a network disk ({kind}), where several machines "
            "cannot share it: give each shard its own, here "
            f"{given('cache', shard_file(answers.path, shard).name)}"
        )


def take_over(target: Path, sources: Sequence[Path]) -> None:
    """Add the answers of other files, unless the key is known; warn of files that cannot be read.

    Raises:
        InputError: if the target cannot be used.
    """
    if not sources:
        return
    connection, writable = open_file(target)
    with closing(connection):
        for source in sources if writable else ():
            try:
                connection.execute("ATTACH DATABASE ? AS other", (str(source),))
                try:
                    connection.execute(_UNION)
                finally:
                    connection.execute("DETACH DATABASE other")
            except sqlite3.Error as error:
                warnings.warn(f"the answer cache {source} is not used: {error}", RuntimeWarning, stacklevel=3)
