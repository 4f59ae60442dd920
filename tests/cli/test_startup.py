"""Garbage is collected less often during a command."""

import gc

from thresher.cli.startup import fewer_collections


def test_garbage_is_collected_as_before_after_a_command():
    before = gc.get_threshold()
    with fewer_collections():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before
