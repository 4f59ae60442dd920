"""Errors of object stores: whether they pass, and one line without credentials about each."""

import errno
import re

from thresher.known_secrets import without_respelled_secrets

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_MESSAGE = re.compile(r"<Message>([^<]+)</Message>")
_SERVICES = ("169.254.", "metadata.google.internal", "instance metadata")
"""Addresses that give credentials to virtual machines; they are asked if the environment has none."""
_TIMES = re.compile(r" in [\d.]+(?:ns|µs|ms|s)\b")
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""409 is the answer to conditional requests that come at once."""
_LONGEST = 300


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed later: the store is busy, restarts, or cannot be reached."""
    text = str(error)
    if _is_about_credentials(text) or "builder error" in text or _is_refusal(error):
        return False
    status = _STATUS.search(text)
    return int(status[1]) in _PASSING if status else True


def is_conflict(error: Exception) -> bool:
    """Whether two conditional requests for one key came at once; the store may have done neither."""
    status = _STATUS.search(str(error))
    return status is not None and status[1] == "409"


def is_missing_bucket(error: Exception) -> bool:
    """Whether an object is missing because its bucket is."""
    return any(code in str(error) for code in ("NoSuchBucket", "ContainerNotFound", "bucket does not exist"))


def explained(error: Exception) -> OSError:
    """The error as an OSError whose `strerror` is one line without credentials."""
    text = str(error).partition("\n\nDebug source")[0]
    if isinstance(error, OSError) and error.strerror:
        return error
    if _is_about_credentials(text):
        return PermissionError(
            errno.EACCES, "the environment has no credentials for it, such as AWS_ACCESS_KEY_ID"
        )
    status = _STATUS.search(text)
    reasons = [found[1] for pattern in (_CODE, _MESSAGE) if (found := pattern.search(text))]
    reason = ": ".join(reasons) or _TIMES.sub("", " ".join(text.split()))
    answered = f"the object store answered {status[1]}" if status else "the object store cannot be reached"
    line = f"{answered} ({without_respelled_secrets(reason)[:_LONGEST]})"
    number = errno.ENOTSUP if status and status[1] == "501" else errno.EIO
    return PermissionError(errno.EACCES, line) if _is_refusal(error) else OSError(number, line)


def _is_refusal(error: Exception) -> bool:
    return isinstance(error, PermissionError) or type(error).__name__ in (
        "PermissionDeniedError",
        "UnauthenticatedError",
        "NotSupportedError",
        "InvalidPathError",
        "UnknownConfigurationKeyError",
    )


def _is_about_credentials(text: str) -> bool:
    return any(service in text for service in _SERVICES)
