"""Parameters: types, ranges, choices, and what is refused before anything starts."""

import copy
from functools import reduce
from operator import getitem

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs.params import NotebookParams, Parameter, make_sweep, read_params

RAW = {
    "notebooks": {
        "one": {
            "verify": {"names": ["a"]},
            "verify_except": ["all", "grid.b"],
            "data": {"smoke": ["x"], "paper": ["x", "y"]},
            "parameters": {
                "seeds": {"type": "list[int]", "min": 0, "smoke": [0], "paper": [0, 1, 2], "help": "h"},
                "alphas": {"type": "int", "min": 2, "max": 20, "smoke": 3, "paper": 4, "help": "h"},
                "rate": {"type": "float", "smoke": 1, "paper": 0.5, "help": "h"},
                "names": {"type": "list[str]", "choices": ["a", "b"], "smoke": ["a"], "paper": ["a", "b"], "help": "h"},
                "fast": {"type": "bool", "smoke": True, "paper": False, "help": "h"},
                "mode": {"type": "str", "smoke": "x", "paper": "y", "help": "h"},
            },
        },
        "bare": {},
    },
    "sweeps": {
        "penalties": {"notebook": "one", "profile": "smoke", "grid": {"alphas": [2, 4, 8], "fast": [True, False]}}
    },
}


@pytest.fixture
def params():
    return read_params("chapter", copy.deepcopy(RAW))


def test_profiles_resolve_to_declared_types(params):
    smoke = params.notebook("one").resolve("smoke")
    assert smoke == {"seeds": [0], "alphas": 3, "rate": 1.0, "names": ["a"], "fast": True, "mode": "x"}
    assert isinstance(smoke["rate"], float)
    assert params.notebook("one").resolve("paper")["seeds"] == [0, 1, 2]
    assert params.notebook("bare").resolve("smoke") == {}
    assert params.notebook("bare").verify is None and params.notebook("one").verify == {"names": ["a"]}
    assert params.notebook("one").verify_except == ("all", "grid.b") and params.notebook("bare").verify_except == ()
    assert params.notebook("one").data == {"smoke": ("x",), "paper": ("x", "y")}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("alphas", " 7 ", 7),
        ("rate", "1e-3", 0.001),
        ("seeds", "0-4", [0, 1, 2, 3, 4]),
        ("seeds", "[0, 2-3,9]", [0, 2, 3, 9]),
        ("names", "a,b", ["a", "b"]),
        ("names", "", []),
        ("fast", "true", True),
        ("mode", "a=b, c", "a=b, c"),
    ],
)
def test_text_is_parsed_by_declared_type(params, name, text, value):
    assert params.notebook("one").resolve("smoke", {name: text})[name] == value


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("alphas", "x", "expected int from 2 to 20, got 'x'"),
        ("alphas", True, "expected int"),
        ("alphas", 1, "from 2 to 20, got 1"),
        ("rate", "nan", "expected float"),
        ("seeds", "-1", "at least 0, got -1"),
        ("seeds", [0, "a"], "expected list"),
        ("names", "A", "did you mean 'a'"),
        ("fast", 1, "expected bool"),
        ("mode", 3, "expected str"),
        ("alhpas", 3, "did you mean 'alphas'"),
        ("profile", "paper", "--profile"),
    ],
)
def test_what_does_not_fit_is_one_line(params, name, value, expected):
    with pytest.raises(UserError, match=expected) as caught:
        params.notebook("one").resolve("smoke", {name: value})
    assert name in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", ",", "0-2,1", "0-99999999999", "²-³", "0-" + "9" * 5000, "4-0", "-1"])
def test_seeds_that_are_none_doubled_or_beyond_memory_are_refused(text):
    seeds = Parameter(type="list[int]", help="h", smoke=[0], paper=[0], min=0)
    with pytest.raises(UserError, match="parameter 'seeds': ") as told:
        NotebookParams(parameters={"seeds": seeds}).read("seeds", text)
    assert len(str(told.value)) < 400


@given(st.integers(), st.integers(min_value=-50, max_value=50), st.integers(min_value=0, max_value=50))
def test_a_range_keeps_exactly_what_lies_in_it(value, low, width):
    parameter = Parameter(type="int", help="h", smoke=low, paper=low, min=low, max=low + width)
    if low <= value <= low + width:
        assert parameter.check(value) == value
    else:
        with pytest.raises(UserError):
            parameter.check(value)


def test_an_unknown_notebook_names_the_nearest(params):
    with pytest.raises(UserError, match=r"did you mean 'bare'.*known: one, bare"):
        params.notebook("bear")


def test_sweeps_are_products_and_checked(params):
    sweep = params.sweeps["penalties"]
    assert len(sweep.points()) == 6
    assert sweep.points()[0] == {"alphas": 2, "fast": True}
    assert make_sweep("s", params.notebook("one"), "smoke", {"seeds": ["0", "1-2"]}).points() == [
        {"seeds": [0]},
        {"seeds": [1, 2]},
    ]
    with pytest.raises(UserError, match="empty grid"):
        make_sweep("s", params.notebook("one"), "smoke", {})


PROFILE = {"type": "str", "smoke": "a", "paper": "b", "help": "h"}
SMOKE_SWEEP = {"notebook": "one", "profile": "smoke", "grid": {"alphas": [2]}, "completes": True}


def broken(path, value):
    raw = copy.deepcopy(RAW)
    *parents, last = path.split("/")
    place = reduce(getitem, parents, raw)
    place[last] = value
    return raw


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("notebooks/one/parameters/alphas/smoke", 1, r"one\.parameters\.alphas\.smoke: expected int from 2 to 20"),
        ("notebooks/one/parameters/alphas/typ", "int", "typ"),
        ("notebooks/one/parameters/profile", PROFILE, "'profile' is given to every notebook"),
        ("notebooks/one/verify", {"nmaes": ["a"]}, "did you mean 'names'"),
        ("notebooks/one/verify", {"seeds": [-1]}, "verify: parameter 'seeds'.*at least 0, got -1"),
        ("notebooks/one/verify", {"profile": "smoke"}, "verify: .*--profile"),
        ("notebooks/bare/verify_except", ["a"], "notebooks.bare: 'verify_except' needs 'verify' beside it"),
        ("notebooks/one/lesson", True, "one.lesson: a lesson keeps no record, so it has no 'verify'"),
        ("notebooks/bare", {"lesson": True, "data": {"paper": ["x"]}}, "bare.lesson: a lesson keeps no record.*'x'"),
        ("notebooks/bare/lesson", "yes", "bare.lesson: expected true or false"),
        ("notebooks/one/parts", {"alphas": []}, "parts: 'alphas' is no list, so runs cannot divide it"),
        ("sweeps/penalties/completes", True, "completes the paper record needs one value of 'alphas'"),
        ("sweeps/penalties", SMOKE_SWEEP, "completes the paper record needs the profile paper"),
        ("sweeps/penalties/grid", {"alphas": [1]}, "sweeps.penalties: .*'alphas'.*from 2 to 20"),
    ],
)
def test_a_faulty_file_names_the_place(path, value, expected):
    with pytest.raises(UserError, match=expected) as caught:
        read_params("chapter", broken(path, value))
    assert "chapters/chapter/params.yaml" in str(caught.value)


def test_each_notebook_needs_its_source(tmp_path):
    (tmp_path / "one.py").touch()
    with pytest.raises(UserError, match=r"'bare' has no source chapters/chapter/bare\.py"):
        read_params("chapter", copy.deepcopy(RAW), tmp_path)
