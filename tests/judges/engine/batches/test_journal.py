import json
import random

import pytest

from thresher.errors import InputError
from thresher.judges.engine.batches.journal import Journal, read_entry


def test_an_entry_from_its_beginning_to_its_removal(tmp_path):
    journal = Journal(tmp_path / "batches")
    assert list(journal.entries()) == []
    entry = journal.begin(2, 1, {"k1": "valor/claims", "k2": "valor/claims"})
    assert (entry.round, entry.part, entry.batch, list(entry.prompts)) == (2, 1, None, ["k1", "k2"])
    entry = journal.submitted(entry, "batch_1")
    assert list(journal.entries()) == [entry]
    journal.count(entry)
    assert [(found.batch, found.counted) for found in journal.entries()] == [("batch_1", True)]
    journal.remove(entry)
    journal.remove(entry)
    assert list(journal.entries()) == []


def test_entries_come_in_the_order_of_their_time(tmp_path):
    journal = Journal(tmp_path)
    names = [journal.begin(1, part, {}).name for part in range(1, 6)]
    assert [entry.name for entry in journal.entries()] == names


def test_a_folder_that_cannot_be_created(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot create"):
        Journal(tmp_path / "file" / "batches").begin(1, 1, {})


def test_damaged_entries_are_named_and_left_out(tmp_path):
    journal = Journal(tmp_path)
    entry = journal.begin(1, 1, {"k": "p"})
    (tmp_path / "x.json").write_text("{}")
    with pytest.warns(RuntimeWarning, match=r"x\.json is not an entry .* delete the file"):
        assert list(journal.entries()) == [entry]


def test_mutations_are_read_or_refused(tmp_path):
    entry = Journal(tmp_path).begin(1, 1, {"k": "p", "q": "r"})
    good = json.loads((tmp_path / f"{entry.name}.json").read_text())
    rng = random.Random(7)  # noqa: S311  (seeded mutations)
    values = [None, 1, -1.5, "text", [], {}, True, {"k": 1}, float("nan")]
    for _ in range(300):
        changed = dict(good)
        changed[rng.choice(list(good))] = rng.choice(values)
        if rng.random() < 0.2:
            changed.pop(rng.choice(list(changed)))
        text = json.dumps(changed)
        text = text[: rng.randrange(len(text))] if rng.random() < 0.2 else text
        try:
            read = read_entry(text, "entry")
        except InputError:
            continue
        assert isinstance(read.prompts, dict)
