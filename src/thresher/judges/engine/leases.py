"""Leases: a process takes the lease of a key before it asks, so that others wait for the answer.

A lease belongs to an owner and is valid while the owner is alive: a process with leases renews its one row
every few seconds. So a lease itself needs no renewal, and the leases of a killed process end together. All
functions run within a transaction of the caller.
"""

import sqlite3
import time

LIFE = 8.0
"""Seconds without renewal after which an owner counts as dead: how long others wait for the answers of a
killed process. Calls of a process that stalls for longer are made twice."""
BEAT = 2.0
"""Seconds between renewals: three may be missed before the lease ends."""

_TABLES = (
    "CREATE TABLE IF NOT EXISTS leases (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, alive REAL NOT NULL) WITHOUT ROWID",
)
_HELD = """
    SELECT alive FROM leases JOIN owners USING (owner)
    WHERE key = ? AND owner <> ? AND alive BETWEEN ? AND ?
"""
"""A row renewed in the future (the clock was set back) does not count."""
_SOME = "SELECT 1 FROM leases WHERE owner = ? LIMIT 1"


def create(connection: sqlite3.Connection) -> None:
    """Create the tables."""
    for table in _TABLES:
        connection.execute(table)


def is_held(connection: sqlite3.Connection, key: str, owner: str) -> bool:
    """Whether another live owner has the lease."""
    now = time.time()
    return connection.execute(_HELD, (key, owner, now - LIFE, now + LIFE)).fetchone() is not None


def take(connection: sqlite3.Connection, key: str, owner: str, *, force: bool = False) -> bool:
    """Take the lease of a key unless another live owner has it; return whether it was taken.

    Args:
        connection: the answer cache.
        key: key of the ask.
        owner: the process that asks.
        force: whether to take it from a live owner.
    """
    if not force and is_held(connection, key, owner):
        return False
    connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?)", (key, owner))
    return True


def drop(connection: sqlite3.Connection, key: str, owner: str) -> None:
    """End an owner's lease of a key."""
    connection.execute("DELETE FROM leases WHERE key = ? AND owner = ?", (key, owner))


def renew(connection: sqlite3.Connection, owner: str, *, needed: bool = True) -> None:
    """Renew an owner and delete dead owners.

    Args:
        connection: the answer cache.
        owner: the owner.
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
