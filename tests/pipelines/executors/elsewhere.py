"""An executor that pickles every task, as processes and clusters do, and computes it here."""

import pickle

from thresher.pipelines.executors import choice
from thresher.pipelines.executors.worker import close_worker


class Elsewhere:
    workers = 3

    def __init__(self):
        self.sizes = []

    def execute(self, job, numbers):
        try:
            for number in numbers:
                sent = pickle.dumps(job.task(number))
                self.sizes.append(len(sent))
                outcome = pickle.dumps(pickle.loads(sent)())  # noqa: S301  # its own
                assert len(outcome) < 3000, "facts, not contents"
                yield pickle.loads(outcome)  # noqa: S301
        finally:
            close_worker()


def use(monkeypatch, executor=None):
    """Let `evaluate(..., engine="elsewhere")` use this executor, as if a package had installed it."""
    executor = executor or Elsewhere()
    monkeypatch.setattr(choice, "_of_plugin", lambda *_: executor)
    return executor
