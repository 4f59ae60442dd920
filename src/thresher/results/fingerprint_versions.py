"""The versions of fingerprints of data: which of them can be equal."""

SECOND = "2-"
"""Start of fingerprints that hash blocks of items. Those of the first version, of columns, lack it."""


def is_first_version(fingerprint: str) -> bool:
    """Whether a fingerprint was made by a version that hashed column after column.

    >>> is_first_version("2-5f0c"), is_first_version("5f0c")
    (False, True)
    """
    return not fingerprint.startswith(SECOND)
