from hypothesis import given
from hypothesis import strategies as st

from thresher.results import Signature

texts = st.text(max_size=12)


def test_a_signature_is_one_readable_line():
    signature = Signature.of("rouge1", {"stem": True, "types": ["a", "b"], "top_k": None, "note": "a|b\nc"})
    assert str(signature) == "rouge1|stem:yes|types:a,b|top_k:none|note:a%7Cb%0Ac|version:1"


def test_differences_name_both_sides():
    first, second = Signature.of("recall", {"k": 5, "ties": "trec"}), Signature.of("recall", {"k": 10})
    assert first.differences(second) == {"k": ("5", "10"), "ties": ("trec", "-")}
    assert first.differences(first) == {}


@given(st.dictionaries(texts, texts), st.dictionaries(texts, texts))
def test_signatures_survive_files_and_tell_settings_apart(settings, others):
    signature = Signature.of("m", settings)
    assert Signature.from_dict(signature.to_dict()) == signature
    if settings != others:
        assert signature.differences(Signature.of("m", others))
