"""What a message says of a run that cannot be continued."""

import pytest

from thresher.errors import RunDirectoryError
from thresher.pipelines.continued_run import check_same

KNOWN = {"name": "a", "data": "1", "reading": {"columns": {"ids": "id"}, "notes": ["read ';'"]}}


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (KNOWN["reading"], "other data, or data that was read with other options: choose"),
        ({"columns": {"ids": "id"}, "notes": []}, """options (then "read ';'"): choose"""),
        (
            {"columns": {"ids": "key", "texts": "t"}, "notes": ["read ';'", "read 'x'"]},
            """(ids from id, now from key; texts from no column, now from t; now "read 'x'"): choose""",
        ),
        ({}, """(ids from id, now from no column; then "read ';'"): choose"""),
    ],
)
def test_other_data_name_what_was_read_otherwise(reading, message):
    with pytest.raises(RunDirectoryError) as error:
        check_same("runs/a", KNOWN, {**KNOWN, "data": "2", "reading": reading}, named=False)
    assert message in str(error.value)
