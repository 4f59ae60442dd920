"""What Ray gets to see of a run, without Ray."""

import sys
from contextlib import nullcontext

import pytest

from thresher import evaluate
from thresher.errors import InputError, MissingDependencyError
from thresher.pipelines.executors import on_ray
from thresher.pipelines.executors.parent_watch import followed

ANSWERS = {"predicted_answers": ["a"], "ground_truth_answers": ["a"]}


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'thresher\[ray\]'"):
        evaluate("exact_match", ANSWERS, out=tmp_path / "run", engine="ray")
    assert not (tmp_path / "run").exists()


def test_a_proxy_of_rays_client_is_refused(tmp_path):
    with pytest.raises(InputError, match="workers would outlive the driver"):
        evaluate("exact_match", ANSWERS, out=tmp_path / "run", engine="ray", address="ray://head:10001")


def test_a_node_with_another_version_is_named():
    problem = on_ray._remote_function()(b"", "0.0.1", ("127.0.0.1", 1))
    assert problem.startswith("node ")
    assert problem.endswith("the driver 0.0.1: install the same version on all nodes")


def test_a_node_without_thresher_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "thresher.version", None)
    assert "Thresher is not installed on node" in on_ray._remote_function()(b"", "0.0.1", ("127.0.0.1", 1))


def test_a_node_that_cannot_reach_the_driver_is_named():
    with followed("127.0.0.1") as driver:
        pass
    problem = on_ray._remote_function()(b"", on_ray.__version__, driver)
    assert "cannot reach the driver at 127.0.0.1" in problem


class GrowingCluster:
    """A stand-in for Ray: each task that waits when another ends adds a processor; tasks do nothing."""

    def __init__(self, processors):
        self.processors, self.most, self.in_flight = processors, 0, 0

    def cluster_resources(self):
        return {"CPU": float(self.processors)} if self.processors else {}

    def is_initialized(self):
        return True

    def wait(self, tasks, num_returns):
        self.most = max(self.most, len(tasks))
        self.processors = min(64, max(self.processors, len(tasks)))
        return tasks[:num_returns], tasks[num_returns:]

    def cancel(self, task, **_):
        raise AssertionError(task)


@pytest.mark.parametrize(("workers", "most"), [(None, 128), (3, 6)])
def test_tasks_in_flight_follow_a_cluster_that_grows(monkeypatch, workers, most):
    cluster = GrowingCluster(0)
    monkeypatch.setitem(sys.modules, "ray", cluster)
    engine = on_ray.OnRay(workers, None)
    cluster.util = type("util", (), {"get_node_ip_address": staticmethod(lambda: "127.0.0.1")})
    monkeypatch.setattr(on_ray.OnRay, "_gate", lambda *_: nullcontext())
    monkeypatch.setattr(on_ray.OnRay, "_submitter", lambda *_: "task {}".format)
    monkeypatch.setattr(on_ray.OnRay, "_outcome", lambda *given: given[-1])
    assert sorted(engine.execute(None, iter(range(500)))) == list(range(500))
    assert cluster.most == most
