"""Results that stay on disk equal those in memory, for every metric."""

import copy
import math
import pickle

import pytest

from laws.test_results_files import reports, results_of
from thresher import open_run
from thresher.components import metric_names
from thresher.pipelines import run_results
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.run_directory import RunDirectory
from thresher.results.parted_columns import PartedColumn


def stored(results, folder, size):
    """The folder of a run with `size` items per part."""
    facts = {"name": "run", "items": len(results), "chunk_size": size, "ids_given": results.ids_given}
    directory = RunDirectory.start(folder, facts)
    for number in range(directory.chunks):
        part = results.take(range(len(results))[number * size : (number + 1) * size])
        directory.commit(number, lambda part=part: ChunkPart(part.ids, part.inputs, part.results))
    directory.close({})
    return folder


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.filterwarnings("ignore")
def test_reports_items_and_copies_of_a_lazy_run_are_those_of_the_run_in_memory(name, tmp_path, monkeypatch):
    folder = stored(results_of(name), tmp_path / "run", 2)
    monkeypatch.setattr(run_results, "SMALL", math.inf)
    eager = open_run(folder)
    monkeypatch.setattr(run_results, "SMALL", -1)
    lazy = open_run(folder)
    assert not isinstance(eager.ids, PartedColumn)
    assert isinstance(lazy.ids, PartedColumn)
    assert reports(lazy) == reports(eager)
    assert lazy.to_json() == eager.to_json()
    assert copy.deepcopy(lazy) is lazy
    pickled = pickle.dumps(lazy)
    for path in (folder / "parts").iterdir():
        path.unlink()  # a pickle depends on no file
    assert pickle.loads(pickled).to_json() == eager.to_json()  # noqa: S301
