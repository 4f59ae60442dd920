"""Templates that would take all memory, or never end, are refused in one line within a moment."""

import tracemalloc

import pytest

from judges.speed import assert_linear
from thresher.errors import InputError
from thresher.judges import Texts
from thresher.judges.template import Template

TIMES = "{% for i in range(90000) %}"
BOMBS = {
    "repetition": '{{ "x" * 10**10 }}',
    "repetition of a name": '{% set s = "x" %}{{ s * 10000000000 }}',
    "repetition from the right": '{{ 10000000000 * "x" }}',
    "list": "{{ ([1] * 10000000000)|length }}",
    "power": "{{ 9**9**9 }}",
    "large products": "{% set n = 9999999999999999999 %}{{ n * n * n * n * n * n }}",
    "nested loops": f"{TIMES * 3}x{{% endfor %}}{{% endfor %}}{{% endfor %}}",
    "silent loops": f"{TIMES * 3}{{% set y = 1 %}}{{% endfor %}}{{% endfor %}}{{% endfor %}}",
    "loops over texts": '{% for a in "x" * 9000 %}{% for b in "x" * 9000 %}{{ a }}{% endfor %}{% endfor %}',
    "doubling by ~": '{% set a = "xxxxxxxx" %}' + "{% set a = a ~ a %}" * 60,
    "doubling by +": '{% set a = "xxxxxxxx" %}' + "{% set a = a + a %}" * 60,
    "doubling of a list": "{% set a = [1, 2] %}" + "{% set a = a + a %}" * 60,
    "nested lists": "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60 + "{{ a }}",
    "nested dicts": "{% set a = {} %}" + "{% set a = {1: a, 2: a} %}" * 60 + "{{ a }}",
    "comparison": "{% set a = [1] %}{% set b = [1] %}"
    + "{% set a = (a, a) %}{% set b = (b, b) %}" * 60
    + "{{ a == b }}",
    "lists made longer": "{% set a = [1] %}"
    + "{% set a = [a, a] %}" * 9
    + "{% set a = a * 9 %}" * 9
    + "{{ a }}",
    "doubling by replace": '{% set a = "xxxxxxxx" %}' + '{% set a = a|replace("x", a) %}' * 10,
    "doubling by a method": '{% set a = "xxxxxxxx" %}' + '{% set a = a.replace("x", a) %}' * 10,
    "doubling by join": '{% set a = "xxxxxxxx" %}' + "{% set a = a|list|join(a) %}" * 10,
    "doubling in a namespace": '{% set n = namespace(a="xx") %}{% for i in range(99) %}'
    "{% set n.a = n.a ~ n.a %}{% endfor %}",
    "center": '{{ "x"|center(10000000000) }}',
    "ljust": '{{ "x".ljust(10000000000) }}',
    "zfill": '{{ "x".zfill(10000000000) }}',
    "indent": '{{ "x\nx"|indent(10000000000) }}',
    "format": '{{ "%10000000000d"|format(1) }}',
    "format operator": '{{ "%10000000000d" % 1 }}',
    "format method": '{{ "{:10000000000}".format(1) }}',
    "format with a star": '{{ "%*d" % (10000000000, 1) }}',
    "output": "{% set a = 'x' * 900000 %}" + "{{ a }}" * 40,
    "macro": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "recursive loop": "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "block of set": "{% set x %}{{ 1 }}{% endset %}",
    "block of filter": "{% filter upper %}x{% endfilter %}",
    "lorem ipsum": "{{ lipsum(n=1000000) }}",
    "deep expression": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_at_once(bomb):
    tracemalloc.start()
    with pytest.raises(InputError, match=r"^the template of x ") as refused:
        Template("x", "{{ data }}" + BOMBS[bomb])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "\n" not in str(refused.value)
    assert peak < 60_000_000


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ 2 * 3 }}{{ 'ab' * 2 }}{{ 2**10 }}{{ 7 % 4 }}{{ 1 + 1 }}{{ 'a' + 'b' }}", "6abab102432ab"),
        ("{{ 'a' ~ 1 ~ ('b' ~ 2) }}", "a1b2"),
        ("{% for i in range(3) %}{{ loop.index }}/{{ loop.length }} {% endfor %}", "1/3 2/3 3/3"),
        (
            "{% for a, b in {'k': (1, 2)}.items() %}{{ a }}{{ b }}{% endfor %}{% set x, y = 1, [2] %}{{ y }}",
            "k(1, 2)[2]",
        ),
        ("{% for i in [] %}x{% else %}none{% endfor %}", "none"),
        ("{% for i in [1, 2, 3] if i > 1 %}{{ i }}{% endfor %}", "23"),
        ("{{ '%.2f'|format(0.5) }} {{ '%5d' % 3 }} {{ 'x'|center(5) }}|", "0.50     3   x  |"),
        ("{{ ['a', 'b']|join(', ') }} {{ 'aa'|replace('a', 'b') }} {{ 'a'.upper() }}", "a, b bb A"),
        (
            "{% set n = namespace(t='') %}{% for c in 'abc' %}{% set n.t = c ~ n.t %}{% endfor %}{{ n.t }}",
            "cba",
        ),
    ],
)
def test_what_prompts_need_works_as_before(source, expected):
    assert Template("x", source, "").ask(Texts("t")).messages[0].text == expected


def test_long_data_may_be_inserted_several_times():
    ask = Template("x", "{{ a }}{{ a }}{{ a|upper }}{{ a ~ a }}").ask(Texts("t"), a="word " * 1_000_000)
    assert len(ask.messages[1].text) > 25_000_000


def test_filling_in_is_linear():
    template = Template("x", "{{ a|replace('b', 'c') }}")
    assert_linear(lambda text: template.ask(Texts("t"), a=text), "a b ")
