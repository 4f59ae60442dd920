"""Inspect: four model-graded scorers over given answers; two have custom templates."""

import os
import shutil
import tempfile
from importlib.metadata import version
from typing import Any

os.environ["INSPECT_DISPLAY"] = "none"
from _peer import Peer

peer = Peer()
from inspect_ai import Task  # noqa: E402
from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402
from inspect_ai.scorer import model_graded_fact, model_graded_qa  # noqa: E402
from inspect_ai.solver import solver  # noqa: E402

peer.ready(version("inspect-ai"))
GROUNDING = "[Context]: {contexts}\n***\n[Submission]: {answer}\n***\nIs it grounded?\n{instructions}"
USEFULNESS = (
    "[Context]: {contexts}\n***\n[Question]: {question}\n***\nIs it of use? {criterion}\n{instructions}"
)


@solver
def given() -> Any:
    """Return the given answers."""

    async def solve(state: Any, _generate: Any) -> Any:
        state.output = ModelOutput.from_content("given", state.metadata["given"])
        return state

    return solve


samples = [
    Sample(
        id=place,
        input=item["question"],
        target=item["reference"],
        metadata={"given": item["answer"], "contexts": "\n".join(item["contexts"])},
    )
    for place, item in enumerate(peer.items)
]
judge = get_model("openai-api/mock/mock", base_url=peer.options.url, api_key="none")
scorers = [
    model_graded_qa(model=judge),
    model_graded_fact(model=judge),
    model_graded_qa(model=judge, template=GROUNDING),
    model_graded_qa(model=judge, template=USEFULNESS),
]
task = Task(dataset=MemoryDataset(samples), solver=given(), scorer=scorers)
number = peer.options.concurrency
folder = tempfile.mkdtemp()
(log,) = evaluate(
    task,
    model="mockllm/model",
    log_dir=folder,
    display="none",
    max_connections=number,
    max_samples=number,
    log_level="error",
    fail_on_error=False,
)
worth = {"C": 1.0, "I": 0.0}
found = {}
for sample in sorted(log.samples or [], key=lambda sample: sample.id):
    for name, score in (sample.scores or {}).items():
        found.setdefault(name, [None] * len(samples))[sample.id] = worth.get(score.value)
peer.done(found)
shutil.rmtree(folder, ignore_errors=True)
