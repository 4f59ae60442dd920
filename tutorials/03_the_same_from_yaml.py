# %% [markdown]
# # 3. The same from YAML
#
# **You learn** to write an evaluation pipeline by hand, to run it from the command line, to add a metric and to change the
# judge; and that Python builds exactly the same pipeline.
# **Time**: 10 minutes to read, a minute to run. **You need** tutorial 1; no key, no network.
#
# An evaluation is a Haystack pipeline: several metrics, each connected to one collector. So it is a file that can be
# reviewed, kept under version control, and run by people who write no Python.
#
# ## Write the pipeline by hand
#
# Name the components, state the class of each, and connect `result` to the collector. Options that are left out have their defaults.

# %%
import tempfile
from pathlib import Path

from shell import shell

folder = tempfile.TemporaryDirectory()
place = Path(folder.name)
(place / "answers.jsonl").write_bytes(Path("data/first_answers.jsonl").read_bytes())

by_hand = """\
components:
  token_f1:
    type: thresher.components.text.token_f1.TokenF1Evaluator
    init_parameters: {}
  recall:
    type: thresher.components.retrieval.recall.RetrievalRecallEvaluator
    init_parameters: {}
  collector:
    type: thresher.reports.collector.EvaluationResultsCollector
    init_parameters: {}
connections:
- {sender: token_f1.result, receiver: collector.results}
- {sender: recall.result, receiver: collector.results}
"""
(place / "evaluation.yaml").write_text(by_hand, encoding="utf-8")
shell("thresher run evaluation.yaml --data answers.jsonl --name first --quiet", place)

# %% [markdown]
# ## YAML and Python make the same pipeline
#
# The builder makes the same pipeline from Python: loaded from the file or built here, both serialise to the
# same text, and their signatures and values are equal.

# %%
from thresher import build, evaluate, load_pipeline, open_run, read_dataset

answers = read_dataset("data/first_answers.jsonl")
loaded = load_pipeline(place / "evaluation.yaml")
built = build(["token_f1", "retrieval_recall"])
print("same text:", loaded.dumps() == built.dumps())

here = evaluate(built, answers, name="here")
there = open_run(place / "runs" / "first")
for name in ("token_f1", "retrieval_recall"):
    ours, theirs = here.metric(name).result, there.metric(name).result
    print(
        name,
        "same value:",
        ours.value() == theirs.value(),
        "| same signature:",
        ours.measures[0].signature == theirs.measures[0].signature,
    )

# %% [markdown]
# ## Add a judged metric
#
# Two entries add a metric with its options, here a judged metric with a custom prompt. `chat_generator` is left
# out, so the person who runs the file chooses the judge. `estimate` shows the cost before any model is called.

# %%
judged = (
    by_hand.replace(
        "  collector:\n",
        """\
  answer_correct:
    type: thresher.components.judged.custom.custom_judge.CustomJudgeEvaluator
    init_parameters:
      name: answer_correct
      template: |
        Does the answer give the reference's answer to the question? Other words and further detail do not matter;
        a fact that is wrong or lacking does.

        {{ questions }}

        {{ ground_truth_answers }}

        {{ predicted_answers }}
      reply: {reason: text, score: ['yes', 'no']}
  collector:
""",
    )
    + "- {sender: answer_correct.result, receiver: collector.results}\n"
)
(place / "judged.yaml").write_text(judged, encoding="utf-8")
shell("thresher estimate judged.yaml --data answers.jsonl --price in=0.15,out=0.6", place)

# %% [markdown]
# Now run it. The judge is a recording of a real one, so there is nothing to pay. With `--judge-model gpt-4.1-mini`,
# `--judge-model my-model --judge-url http://127.0.0.1:8000/v1` or `--judge-model gguf:model.gguf` the same file uses another judge.

# %%
recording = Path("data/judgements.json.gz")
(place / recording.name).write_bytes(recording.read_bytes())
asked = f"--judge-model recorded:{recording.name}"
shell(f"thresher run judged.yaml --data answers.jsonl --name judged {asked} --quiet -o judged.txt", place)
shell("thresher report runs/judged --metric answer_correct", place)

# %% [markdown]
# ## Put the judge into the file
#
# A judge that belongs to the evaluation can be part of the file, like any Haystack ChatGenerator. Python shows the notation:
# pass the generator, and dump the pipeline.

# %%
from thresher.components import CustomJudgeEvaluator
from thresher.judges import RecordedChatGenerator

correct = CustomJudgeEvaluator.from_file("data/answer_correct.yaml", RecordedChatGenerator(recording.name))
whole = build(
    {"token_f1": "token_f1", "retrieval_recall": "retrieval_recall", "answer_correct": correct}
).dumps()
start = whole.index("chat_generator")
print(whole[start : whole.index("direction", start)])

# %%
import yaml

# The same file with another judge on your own server. A file may send keys to servers other than their provider's only if you
# trust it. An estimate calls no model.
text = yaml.safe_load(whole)
text["components"]["answer_correct"]["init_parameters"]["chat_generator"] = {
    "type": "haystack.components.generators.chat.openai.OpenAIChatGenerator",
    "init_parameters": {"model": "my-model", "api_base_url": "http://127.0.0.1:8000/v1"},
}
(place / "other.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
shell("thresher estimate other.yaml --data answers.jsonl --trust", place)

# %% [markdown]
# Two judges are two measurements. The signature names the judge (`judge:...`) and the prompt (`template:...@...`). A comparison of
# runs that differ in either says so first, and gives no verdict unless you request one.

# %%
print(open_run(place / "runs" / "judged").metric("answer_correct").result.measures[0].signature)

# %% [markdown]
# ## The decision
#
# *Keep `judged.yaml` with the code of the assistant and run it for every change.* The file, not a notebook, defines
# the evaluation: it is short enough to review, it states the prompt, and the caller chooses the judge until you
# decide to fix it.
