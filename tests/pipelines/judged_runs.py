"""A mock judge, items for it, and processes that end with the test: for tests that kill and compare runs."""

import json
from contextlib import contextmanager

from judges.mock_server import MockServer, running
from judges.rag_items import rag_items

_KEYS = ("question", "contexts", "answer", "reference")


@contextmanager
def mock_judge(milliseconds):
    """A server whose replies take this long; its address is `url`."""
    server = MockServer()
    server.reset(base_ms=milliseconds)
    with running(server) as url:
        server.url = url
        yield server


def write_items(folder, number):
    """Write items to a file in a folder, and return its path."""
    path = folder / "rag.jsonl"
    path.write_text("\n".join(json.dumps({key: item[key] for key in _KEYS}) for item in rag_items(number)))
    return path


@contextmanager
def ended_with_the_test():
    """A list for processes, which are killed after the block."""
    processes = []
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            if not process.stdout.closed:
                process.communicate()
