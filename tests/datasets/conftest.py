import gzip
import json

import pytest

from thresher.datasets import read_dataset
from thresher.errors import InputError


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the working directory, so that messages show its bare name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, content):
        if not isinstance(content, str | bytes):
            content = "\n".join(json.dumps(row) for row in content)
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write_file


@pytest.fixture
def refusal():
    """The one line with which a source is refused."""

    def message(source, **options):
        with pytest.raises(InputError) as caught:
            read_dataset(source, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return message
