# %% [markdown]
# # 7. In CI: a gate with a baseline
#
# **You learn** to check a run against requirements, to distinguish *failed* from *inconclusive*, to compare a change with a baseline, and to
# report the result in a pull request.
# **Time**: 10 minutes to read, a minute to run. **You need** tutorial 1 and `pip install 'thresher[semantic]'`; no key, no network.
#
# The situation: `embeddings-100-top3` of tutorial 2 is in production. Two changes are proposed: prompts half as long (`embeddings-25-top3`),
# and a cheap search with a single small chunk (`bm25-25-top1`). May they be merged?
#
# ## The runs
#
# Two metrics that need no model, so that the gate costs nothing and can run for every change.

# %%
import json
import tempfile
from pathlib import Path

import rag
from shell import shell

from thresher import build

folder = tempfile.TemporaryDirectory()
place = Path(folder.name)
(place / "evaluation.yaml").write_text(
    build(["retrieval_recall", "retrieval_hit_rate"]).dumps(), encoding="utf-8"
)

wanted = {
    "embeddings-100-top3": "production",
    "embeddings-25-top3": "short-prompts",
    "bm25-25-top1": "cheap-search",
}
configurations = [each for each in rag.CONFIGURATIONS if each.name in wanted]
for name, rows in rag.run_configurations(configurations).items():
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (place / f"{wanted[name]}.jsonl").write_text(lines, encoding="utf-8")
    shell(f"thresher run evaluation.yaml --data {wanted[name]}.jsonl --quiet", place)

# %% [markdown]
# ## A fixed threshold
#
# A requirement is met if the *whole interval* is on the good side of the threshold.

# %%
shell("thresher gate runs/production --require 'retrieval_recall>=0.75'", place)

# %%
shell("thresher gate runs/production --require 'retrieval_recall>=0.85'", place)

# %% [markdown]
# The value is 0.917, far above 0.85, and still the gate does not pass: with 34 questions, the true recall may well be 0.81. That is neither a
# pass nor a failure; it is *inconclusive*, with its own exit code (4) and a list of items to inspect. There are three
# ways out: more questions, a lower threshold, or a decision by the value alone, which the output then states:

# %%
shell("thresher gate runs/production --require 'retrieval_recall>=0.85' --decide value", place)

# %% [markdown]
# ## Against a baseline
#
# Fixed thresholds become outdated. Most changes should simply not make things worse by more than you accept. The difference is computed question
# by question, so it is much more precise than the comparison of two separate values.

# %%
shell(
    "thresher gate runs/cheap-search --baseline runs/production --require 'no-regression(retrieval_recall) within 0.15'",
    place,
)

# %%
shell(
    "thresher gate runs/short-prompts --baseline runs/production --require 'no-regression(retrieval_recall) within 0.15'",
    place,
)

# %%
shell(
    "thresher gate runs/short-prompts --baseline runs/production --require 'no-regression(retrieval_recall) within 0.05'",
    place,
)

# %% [markdown]
# The same change passes with a margin of 0.15 and is inconclusive with one of 0.05. The margin is your decision, to be made *before*
# you see the result, and the number of questions determines which margin can be shown at all.
# Without a margin, `no-regression` passes only if a gain is shown:

# %%
shell(
    "thresher gate runs/short-prompts --baseline runs/production --require 'no-regression(retrieval_recall)'",
    place,
)

# %% [markdown]
# `compare` uses the same margin, and calls two runs *equivalent* only with one:

# %%
shell("thresher compare runs/production runs/short-prompts --metric retrieval_recall --margin 0.15", place)

# %% [markdown]
# ## Report the result in the pull request
#
# `--format markdown` writes a comment; `--junit FILE` writes a test report.

# %%
shell(
    "thresher gate runs/cheap-search --baseline runs/production --require 'no-regression(retrieval_recall) within 0.15' --require 'retrieval_hit_rate>=0.6' --format markdown",
    place,
)

# %% [markdown]
# As a step of a workflow, with the baseline stored as an artefact of the main branch:
#
# ```yaml
# - run: thresher run evaluation.yaml --data answers.jsonl --name candidate
# - run: thresher gate runs/candidate --baseline runs/main --requirements gate.yaml --format markdown -o gate.md --junit gate.xml
# ```
#
# ```yaml
# # gate.yaml
# require:
# - no-regression(retrieval_recall) within 0.15
# - retrieval_hit_rate>=0.8
# ```

# %%
(place / "gate.yaml").write_text(
    "require:\n- no-regression(retrieval_recall) within 0.15\n- retrieval_hit_rate>=0.8\n", encoding="utf-8"
)
shell("thresher gate runs/short-prompts --baseline runs/production --requirements gate.yaml", place)

# %% [markdown]
# ## The decision
#
# *Reject the cheap search; merge the short prompts.* The cheap search loses a third of the relevant passages, and even the good end of the
# interval is beyond the margin. The short prompts stay within the agreed margin, and every requirement passes with its whole interval.
# With an agreed margin of 0.05, the gate would have been inconclusive: forty questions are too few for it.
