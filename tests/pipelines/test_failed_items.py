import numpy as np

from thresher import read_dataset
from thresher.pipelines.failed_items import recompute_failed
from thresher.pipelines.parts import ChunkPart
from thresher.results import FrozenColumn, Mean, Measure, MetricResult, Signature, Statistics, Status


def result(name, scores, status, reasons):
    measure = Measure(Signature.of(name, {}), Mean(), "score", "higher", (0.0, 1.0))
    evidence = [f"{name} {place}" for place in range(len(scores))]
    statistics = Statistics({"score": np.array(scores, dtype=np.float64)})
    return MetricResult([measure], statistics, status, reasons, evidence)


def test_only_lost_items_are_computed_and_only_lost_scores_are_replaced():
    ok, failed, unreadable, undefined = Status.SCORED, Status.FAILED, Status.UNREADABLE, Status.UNDEFINED
    chunk = read_dataset({"id": list("abcd"), "question": list("wxyz")})
    first = result("first", [0.1, 0, 0.3, 0], [ok, failed, ok, undefined], {1: "gone", 3: "0/0"})
    second = result("second", [0.5, 0.6, 0, 0.8], [ok, ok, unreadable, ok], {2: "odd"})
    asked = []

    def compute(items):
        asked.append(list(items.ids))
        again = [0.91, 0.92]
        return ChunkPart(
            items.ids,
            items.columns,
            [result("first", again, [ok, ok], {}), result("second", again, [ok, failed], {1: "still"})],
        )

    part = recompute_failed(ChunkPart(chunk.ids, chunk.columns, [first, second]), chunk, compute)
    assert asked == [["b", "c"]]
    np.testing.assert_array_equal(part.results[0].item_scores(), [0.1, 0.91, 0.3, np.nan])
    np.testing.assert_array_equal(part.results[1].item_scores(), [0.5, 0.6, np.nan, 0.8])
    assert [dict(each.reasons) for each in part.results] == [{3: "0/0"}, {2: "still"}]
    assert list(part.results[0].evidence) == ["first 0", "first 0", "first 2", "first 3"]
    assert list(part.ids) == list("abcd")


def test_a_part_without_losses_is_left_as_it_is():
    part = ChunkPart(FrozenColumn(["a"]), {}, [result("m", [1.0], [Status.SCORED], {})])
    assert recompute_failed(part, read_dataset({"id": ["a"]}), lambda _: 1 / 0) is part
