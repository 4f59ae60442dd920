import json

import pytest

from thresher.errors import InputError
from thresher.judges import Limits, Price, Prices, asking


@pytest.mark.parametrize(
    "options",
    [
        {"max_concurrency": 0},
        {"max_concurrency": 1.5},
        {"timeout": -1},
        {"requests_per_minute": float("inf")},
        {"max_tries": 0},
    ],
)
def test_limits_that_limit_nothing_or_everything_are_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        Limits(**options)


def test_prices_are_for_a_million_tokens():
    assert Prices.parse("in=0.15, out=0.6").of("any") == Price(0.15, 0.6)
    assert Price(0.15, 0.6).cost(2_000_000, 500_000) == pytest.approx(0.6)


def test_cached_input_and_stored_input_have_their_prices():
    price = Prices.parse("in=1,out=4,cached_in=0.1,cache_write=1.25,batch=0.5").of("any")
    assert price == Price(1, 4, 0.5, 0.1, 1.25)
    counts = {"cached": 500_000, "written": 200_000}
    assert price.cost(1_000_000, 100_000, **counts) == pytest.approx(0.3 + 0.05 + 0.25 + 0.4)
    assert price.cost(1_000_000, 100_000, **counts, batch=True) == pytest.approx(0.5)
    assert Price(1, 4).cost(1_000_000, 100_000, **counts) == pytest.approx(1.4), "default: the price of input"
    assert Price(1, 0, cached_input=0).cost(100, 0, cached=100) == 0


def test_an_unknown_part_of_a_price_is_refused():
    with pytest.raises(InputError, match=r"price .*'cache_in' is unknown; give any of in, out, cached_in"):
        Prices.parse("in=1,out=2,cache_in=0.1")


@pytest.mark.parametrize(
    "version", ["", "-2026", "-2026-01-31", "-0613", "@20260131", "-001", "-latest", ":v2026"]
)
def test_a_version_of_a_model_costs_what_the_model_costs(version):
    assert Prices(models={"gpt-x": Price(1, 2)}).of(f"gpt-x{version}") == Price(1, 2)


@pytest.mark.parametrize(
    "other", ["gpt-x-mini", "gpt-x.1", "gpt-xo", "gpt-x-32k", "gpt-x-8b", "gpt", "a-gpt-x", ""]
)
def test_another_model_does_not_cost_what_one_costs_whose_name_starts_alike(other):
    table = {"gpt-x": Price(1, 2)}
    assert Prices(models=table).of(other) is None
    assert Prices(Price(9, 9), table).of(other) == Price(9, 9)


def test_a_price_table_is_read_by_the_longest_name(tmp_path):
    path = tmp_path / "prices.json"
    table = {"gpt-x": {"in": 1, "out": 2}, "gpt-x-mini": {"in": 3, "out": 4}, "default": {"in": 5, "out": 6}}
    path.write_text(json.dumps(table))
    prices = Prices.parse(str(path))
    assert prices.of("gpt-x-mini-2026") == Price(3, 4)
    assert prices.of("gpt-x-2026") == Price(1, 2)
    assert prices.of("other") == Price(5, 6)
    assert Prices(models={"a": Price(1, 1)}).of("b") is None


@pytest.mark.parametrize(
    "text", ["in=1", "cheap", "in=a,out=b", "in=-1,out=2", "in=nan,out=1", "in=1,out=2,cached_in=-1"]
)
def test_prices_that_cannot_be_read_are_told(text):
    with pytest.raises(InputError, match="price"):
        Prices.parse(text)


@pytest.mark.parametrize("content", ["[]", "{", '{"a": 3}'])
def test_price_tables_that_cannot_be_read_are_told(tmp_path, content):
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"prices\.json"):
        Prices.parse(str(path))
    with pytest.raises(InputError, match=r"none\.json"):
        Prices.parse(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "budget",
    [
        {"max_calls": -1},
        {"max_calls": 1.5},
        {"max_calls": True},
        {"max_cost": -1.0},
        {"max_cost": float("nan")},
    ],
)
def test_budgets_that_could_never_end_a_run_are_refused(budget):
    with pytest.raises(InputError, match=f"{next(iter(budget))}=.* must be a"), asking(**budget):
        raise AssertionError("it must not begin")
