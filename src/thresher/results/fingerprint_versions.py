"""The versions of fingerprints of data: only those of one version can be equal."""

SECOND = "2-"
"""Start of fingerprints that hash blocks of items. Those of the first version, of columns, lack it."""
THIRD = "3-"
"""The same for data with objects in images, which are hashed as arrays."""


def version_of(fingerprint: str) -> int:
    """The version that made a fingerprint.

    >>> version_of("3-5f0c"), version_of("2-5f0c"), version_of("5f0c")
    (3, 2, 1)
    """
    return next((number for number, start in ((3, THIRD), (2, SECOND)) if fingerprint.startswith(start)), 1)
