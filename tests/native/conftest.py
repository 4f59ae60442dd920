import os

import pytest

from thresher.native.library import library


@pytest.fixture
def native():
    """Skip without the library, except where the environment demands it."""
    if library() is None:
        if os.environ.get("THRESHER_NATIVE") == "1" and os.environ.get("THRESHER_KERNELS") != "numpy":
            pytest.fail("THRESHER_NATIVE=1, but the native kernels are missing")
        pytest.skip("the native kernels are not compiled (make native), or THRESHER_KERNELS=numpy")


@pytest.fixture
def both(native, monkeypatch):
    """Call a function with native kernels, then with those of Python."""

    def call(function, *arguments, **options):
        fast = function(*arguments, **options)
        with monkeypatch.context() as patch:
            patch.setenv("THRESHER_KERNELS", "numpy")
            library.cache_clear()
            slow = function(*arguments, **options)
        library.cache_clear()
        return fast, slow

    return call
