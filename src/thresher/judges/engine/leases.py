"""Leases: which process asks for which answer, so that others wait for it instead of asking too.

A lease belongs to an owner, and is valid while the owner is alive: a process that has leases renews its one
row every few seconds. So a lease needs no renewal itself, and those of a killed process end together. All
functions run within a transaction of the caller's.
"""

import sqlite3
import time

LIFE = 8.0
"""Seconds after which an owner that has not renewed its row counts as dead: how long others wait for what a
killed process has asked. Calls of a process that stalls for longer are made twice."""
BEAT = 2.0
"""Seconds between renewals: three in a row may be late before the lease ends."""

_TABLES = (
    "CREATE TABLE IF NOT EXISTS leases (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, alive REAL NOT NULL) WITHOUT ROWID",
)
_HELD = """
    SELECT alive FROM leases JOIN owners USING (owner)
    WHERE key = ? AND owner <> ? AND alive BETWEEN ? AND ?
"""
"""A row that was renewed in the future belongs to a clock that was set back; it does not count."""
_SOME = "SELECT 1 FROM leases WHERE owner = ? LIMIT 1"


def create(connection: sqlite3.Connection) -> None:
    """Make the tables."""
    for table in _TABLES:
        connection.execute(table)


def is_held(connection: sqlite3.Connection, key: str, owner: str) -> bool:
    """Whether another owner that is alive has the lease."""
    now = time.time()
    return connection.execute(_HELD, (key, owner, now - LIFE, now + LIFE)).fetchone() is not None


def take(connection: sqlite3.Connection, key: str, owner: str, *, force: bool = False) -> bool:
    """Take the lease of a key, unless another owner that is alive has it; returns whether it was taken.

    Args:
        connection: the answer cache.
        key: what is to be asked.
        owner: who asks.
        force: whether to take it from an owner that is alive.
    """
    if not force and is_held(connection, key, owner):
        return False
    connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?)", (key, owner))
    return True


def drop(connection: sqlite3.Connection, key: str, owner: str) -> None:
    """End an owner's lease of a key."""
    connection.execute("DELETE FROM leases WHERE key = ? AND owner = ?", (key, owner))


def renew(connection: sqlite3.Connection, owner: str, *, needed: bool = True) -> None:
    """Say that an owner is alive, and sweep away those that are dead.

    Args:
        connection: the answer cache.
        owner: who is alive.
        needed: whether it is about to take leases; if not, it is renewed only if it has some.
    """
    if not needed and connection.execute(_SOME, (owner,)).fetchone() is None:
        return
    now = time.time()
    connection.execute("INSERT OR REPLACE INTO owners VALUES (?, ?)", (owner, now))
    dead = connection.execute("DELETE FROM owners WHERE alive NOT BETWEEN ? AND ?", (now - LIFE, now + LIFE))
    if dead.rowcount:
        connection.execute("DELETE FROM leases WHERE owner NOT IN (SELECT owner FROM owners)")


def leave(connection: sqlite3.Connection, owner: str) -> None:
    """End an owner and all its leases."""
    connection.execute("DELETE FROM leases WHERE owner = ?", (owner,))
    connection.execute("DELETE FROM owners WHERE owner = ?", (owner,))
