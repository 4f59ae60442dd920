"""Every test: no telemetry, and no network beyond this machine."""

import gc
import os
import socket
import sys

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # read when haystack is imported

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

import plain_install

# A busy machine is no failure, and a change passes or fails whoever runs it: examples are the same each time.
# HYPOTHESIS=thorough, as in CI and mutation runs, takes more of them; HYPOTHESIS=search draws new ones.
PROFILE = os.environ.get("HYPOTHESIS", "usual")
FUZZ_SECONDS = 5 if PROFILE == "usual" else 60
settings.register_profile("usual", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(PROFILE)


def pytest_addoption(parser):
    group = parser.getgroup("fuzzing of readers (tests/fuzz)")
    text = f"for all fuzzers together (default: {FUZZ_SECONDS})"
    group.addoption("--fuzz-seconds", type=float, default=FUZZ_SECONDS, help=text)
    group.addoption("--fuzz-seed", type=int, default=0, help="seed of the mutations (default: 0)")


def pytest_collectreport():
    """Metrics that test modules declare are not found by name in other modules."""
    from thresher.metrics import registry

    registry._declared.clear()


gc.set_threshold(20_000, 20, 20)  # the usual 700 costs some per cent of the time, and tests are short-lived
_connect = socket.socket.connect
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def _guarded(self, address):
    if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in _LOOPBACK:
        raise AssertionError(f"a test tried to reach {address}")
    return _connect(self, address)


def pytest_ignore_collect(collection_path, config):
    """With `-m slow`, files without slow tests are not imported, which takes 5 s of 11 in each worker."""
    if config.option.markexpr == "slow" and collection_path.suffix == ".py":
        return "mark.slow" not in collection_path.read_text(encoding="utf-8") or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """In a plain installation, a test ends where something says which extra it needs."""
    report = yield
    if plain_install.IS_PLAIN and call.excinfo is not None:
        extra = plain_install.lacked_extra(item, call.excinfo)
        if extra is not None:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"needs the extra {extra}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Doctests are examples of the package: files of tests are neither searched for them nor imported."""
    collectors = yield
    return [collector for collector in collectors if not isinstance(collector, DoctestModule)]


def pytest_collection_finish():
    """Modules and collected tests live as long as the process: the garbage collector need not visit them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _a_world_of_its_own(monkeypatch):
    """Tables are as wide as they are, however wide the terminal is; and no test leaves settings behind."""
    variables = os.environ._data  # as bytes: decoding them took a tenth of the time of a small test
    before, registry = variables.copy(), sys.modules.get("thresher.metrics.registry")
    declared = dict(registry._declared) if registry else {}
    monkeypatch.delenv("COLUMNS", raising=False)
    yield
    if registry and registry._declared != declared:  # a test has imported a module of metrics
        registry._declared.clear()
        registry._declared.update(declared)
    if variables != before:
        os.environ.clear()
        os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in before.items()})
    known = sys.modules.get("thresher.known_secrets")
    if known is not None and known._known:
        known._known.clear()
        known._pattern.cache_clear()
        known._respelled.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _no_repository():
    """Git finds no repository: the state of the checkout took most of its 6 ms for each run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_DIR", os.devnull)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_network():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _guarded)
        yield
