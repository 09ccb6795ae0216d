# ruff: noqa: E501 - each case is one row
"""Which statements of a notebook its record depends on: all but what provably only shows, or computes for nobody."""

from __future__ import annotations

import ast
import re
import textwrap

import pytest

from trustnlp.reproduce.code.code_closure import changes, evidence_of
from trustnlp.reproduce.code.reach import Package, package_at
from trustnlp.reproduce.notebooks.notebook_slice import CodeCell

PACKAGE = {
    "__init__.py": "",
    "a/__init__.py": "",
    "a/one.py": """
        import numpy as np
        import pandas as pd
        import torch

        TABLE = {}

        class Box:
            def __init__(self, x=0):
                self.x = x
            def put(self, x):
                self.x = x
            def look(self):
                return self.x + 1
            @property
            def taken(self):
                self.x += 1
                return self.x

            def rank(self):
                self.x += 1
                return self.x

        class Kept:
            def __init__(self, rows):
                self.rows = rows
                self.rows.append(1)

        class Noisy:
            def __init__(self):
                torch.manual_seed(1)

        def f(x):
            return x + 1
        def table(rows):
            found = []
            for row in rows:
                found.append({"row": row, "text": f"{row:.2f}"})
            return pd.DataFrame(found).round(2)
        def blank(rows):
            rows.fill(0)
            return 1
        def within(rows):
            first = rows[0]
            first.clear()
        def keyword(table):
            return table.drop(columns="a", inplace=True)
        def kept(rows):
            TABLE["rows"] = rows
        def handed(rows):
            return blank(rows)
        def seeded(x):
            torch.manual_seed(x)
            return x
        def drawn(x):
            return torch.rand(x)
        def told(record, x):
            record.metric("told", x)
            return x
        def each(rows):
            yield from rows
        def give(rows):
            return lambda: rows.clear()
    """,
}
START = """
import functools
import math
import operator
import random
from functools import partial, reduce
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import torch
from trustnlp.a import one
from trustnlp.a.one import Box, Kept, Noisy, blank, drawn, each, f, give, handed, kept, keyword, seeded, table, told, within
from trustnlp.plots import show
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence, evidence_arrays
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.records.recording import record_all
record = Record('a', 'b', profile='smoke')
"""
USED = """
number = 1
words = ["b", "a"]
put_of = [words.append]
parts = [[1], [2]]
chosen = {"a", "b"}
named = {"a": [1]}
array = np.zeros(3)
frame = pd.DataFrame({"a": [1, None]})
tensor = torch.zeros(3)
graph = nx.Graph()
model = torch.nn.Linear(2, 2)
optimiser = torch.optim.SGD(model.parameters())
rng = np.random.default_rng(0)
box = Box()
lines = (f(x) for x in words)
walked = iter(words)
"""
RECORDED = """
record.metric('x', [number, words, parts, chosen, named, array, frame, tensor, graph, model, optimiser, rng, box, lines, walked])
"""
HARMS = [
    # methods that change their object
    "array.fill(1)", "model.fit(1)", "optimiser.step()", "tensor.zero_()", "tensor.add_(1)", "frame.fillna(0, inplace=True)",
    "frame.drop(columns='a', inplace=number)", "graph.add_edge(1, 2)", "chosen.difference_update(['a'])", "rng.shuffle(words)",
    "words.sort()", "array.sort()", "words.append('c')", "named.setdefault('b', [])", "array.partition(1)", "frame.insert(0, 'b', 1)",
    "model.train()", "model.double()", "random.shuffle(words)", "array.resize(5)", "array.itemset(0, 1)", "named['a'].append(2)",
    "box.put(3)", "model.load_state_dict({})", "words.__setitem__(0, 'c')", "array.T.fill(1)", "rng.bit_generator.advance(3)",
    # kept in a name, or made on the spot
    "put = words.append\nput('c')", "put = array.fill\nput(1)", "put = lambda: words.append('c')\nput()", "(lambda: words.append('c'))()",
    "put = [words.append]\nput[0]('c')", "put = {'a': words.append}\nput['a']('c')", "put = partial(words.append, 'c')\nput()",
    "def put():\n    words.append('c')\nput()", "print(words.pop())", "print(list(map(words.append, 'c')))", "show(words.pop())",
    "put = lambda x: words.append(x)\nprint(list(map(put, 'c')))", "put = lambda x: words.append(x)\nframe.rename(columns=put)",
    "sorted(words, key=lambda w: words.append(w))", "sorted('ab', key=words.append)", "[words.append(x) for x in 'ab']", "give(words)()",
    # other names for the same object
    "for i, part in enumerate(parts):\n    part.append(i)", "for part in sorted(parts):\n    part.append(1)", "max(parts).append(3)",
    "best = max(parts)\nbest.append(3)", "both = tuple(parts)\nboth[0].append(3)", "first = next(iter(parts))\nfirst.append(3)",
    "first, *rest = parts\nfirst.append(3)", "view = array[:2]\nview[0] = 1", "view = array.T\nview[0] = 1", "view = array.reshape(3, 1)\nview += 1",
    "view = np.asarray(array)\nview[0] = 1", "view = frame.values\nview[0] = 1", "same = words\nsame += ['c']", "same = words\nsame[0] = 'c'",
    "held = {'w': words}\nheld['w'].append('c')", "held = [words]\nheld[0].append('c')", "other = named.get('a')\nother.append(2)",
    "for name, part in named.items():\n    part.append(2)", "for a, b in zip(parts, parts):\n    a.append(b)", "with torch.no_grad():\n    tensor += 1",
    "same = words if number else []\nsame.append('c')", "(same := words).append('c')", "alias = same = words\nalias.append('c')",
    "part = [p for p in parts][0]\npart.append(3)", "part = parts[0]\ndel part[0]", "view = tensor.view(-1)\nview[0] = 1", "view = torch.from_numpy(array)\nview[0] = 1",
    "named.get('a').append(2)", "list.append(words, 'c')", "reduce(operator.iadd, parts)", "list(map(put_of[0], 'c'))", "frame.rename(columns=put_of[0])",
    # results written into an argument
    "np.add(array, 1, out=array)", "np.exp(array, array)", "np.copyto(array, 1)", "np.fill_diagonal(array, 1)", "torch.add(tensor, 1, out=tensor)",
    "array.clip(0, 1, array)", "array.round(out=array)", "frame.drop(**{'columns': 'a', 'inplace': True})", "np.random.shuffle(array)",
    "np.median(array, overwrite_input=True)", "y = np.percentile(array, 5, overwrite_input=number)", "np.outer(array, array, array)", "named.subtract(words)",
    "y = named.subtract(words)", "frame.apply('update')", "np.nan_to_num(array, copy=False)", "frame.rename(columns=str, copy=False)",
    # stores
    "words[0] = 'c'", "frame['b'] = 1", "frame.loc[0, 'a'] = 1", "box.x = 5", "del words[0]", "array += 1", "tensor.data[0] = 1", "number += 1",
    "for words[0] in 'ab':\n    pass", "words[:] = []", "setattr(box, 'x', 5)", "box.__dict__['x'] = 5", "globals()['number'] = 2", "exec('number = 2')",
    "vars()['number'] = 2", "del words", "for number in range(3):\n    pass", "with open('a') as number:\n    pass", "import math as number",
    "held = Box(lines)\nprint(list(held.x))", "held = Box(iter(words))\nrecord.metric('z', held)\nprint(list(held.x))", "printed = printed_tables('a')\nfor row in printed:\n    row.clear()",
    "arrays = evidence_arrays(record)\narrays['y'] = 1", "def each_of():\n    yield number\nwalk = each_of()\nrecord.metric('z', walk)\nprint(list(walk))",
    "Kept(words)", "record_all(record)", "print(record_all(record))", "box.rank()", "np.add(**{'x1': array, 'x2': 1, 'out': array})",
    # hidden state
    "_ = np.random.seed(1)", "np.random.seed(1)", "y = torch.rand(3)", "torch.manual_seed(1)", "y = np.random.rand(3)", "random.random()", "y = random.choice('ab')",
    "print(torch.rand(3))", "seed = torch.manual_seed\nseed(1)", "y = [torch.rand(1) for _ in range(3)]", "torch.use_deterministic_algorithms(True)",
    "torch.set_default_dtype(torch.float64)", "frame.sample(1)", "rng.normal()", "print(rng.normal())", "y = rng.integers(3)", "torch.nn.Linear(2, 2)",
    "next(lines)", "next(walked)", "print(list(lines))", "for x in lines:\n    print(x)", "'a' in lines", "print(*lines)", "x, *_ = lines", "sum(walked)",
    "again = each(words)\nnamed['b'] = again\nlist(again)", "one.TABLE['a'] = 1", "one.f = None", "np.seterr(all='raise')", "import os\nos.environ['A'] = '1'",
    "math.pi = 3", "with open('a', 'w') as file:\n    file.write('a')", "from os import *",
    # the record, by other ways than its methods
    "getattr(record, 'metric')('y', 1)", "functools.partial(record.metric, 'y')(1)", "say = partial(record.metric, 'y')\nsay(1)", "say = record.metric\nsay('y', 1)", "record.metrics({'y': 1})", "record.metrics(named, prefix='y')", "print(record.metrics({'y': 1}))",
    "told(record, 1)", "y = told(record, 1)", "print(told(record, 1))", "show(told(record, 1))", "other = record\nother.metric('y', 1)", "record.measurements['y'] = 1",
    "print(record.metric('y', 1))", "[record.metric(k, 1) for k in 'yz']", "list(map(lambda k: record.metric(k, 1), 'yz'))", "type(record).metric(record, 'y', 1)",
    "Record.metric(record, 'y', 1)", "record.__dict__['metrics'].clear()", "reduce(lambda a, b: record.metric(b, 1), 'yz')", "say = [record.metric]\nsay[0]('y', 1)",
    "(lambda r: r.metric('y', 1))(record)", "class Told:\n    record.metric('y', 1)", "def tell(x=record.metric('y', 1)):\n    pass", "print(f\"{record.metric('y', 1)}\")",
    # functions of the package
    "blank(array)", "y = blank(array)", "print(blank(array))", "show(blank(array))", "within(parts)", "keyword(frame)", "kept(words)", "handed(array)", "seeded(1)",
    "y = seeded(1)", "print(seeded(1))", "drawn(1)", "frame['a'].map(seeded)", "frame.rename(columns=seeded)", "print(list(map(blank, [array])))", "box.taken", "print(box.taken)",
    "Noisy()", "y = Noisy()", "one.blank(array)", "go = blank\ngo(array)", "go = one.blank\nframe.rename(columns=go)",
    # assertions, conditions and functions that bind or do
    "assert (number := 2)", "assert words.pop()", "assert blank(array)", "if (number := 2):\n    pass", "print(number := 2)", "y = [number := k for k in range(3)]",
    "while words.pop() != 'b':\n    pass", "def tell():\n    global number\n    number = 2\ntell()", "try:\n    words.append('c')\nfinally:\n    print(1)",
    "@kept\ndef noted():\n    pass", "class Held(dict, metaclass=f):\n    pass", "match words:\n    case [number, *_]:\n        pass", "lambda_ = (lambda: number)\nnumber = 3",
    "from trustnlp.a.one import seeded as f\nrecord.metric('z', f(1))", "f = seeded\nrecord.metric('z', f(1))", "print = seeded\nprint(1)", "len = words.append\nlen('c')",
]  # fmt: skip
# What has no meaning within a function, or another one.
NOT_IN_FUNCTIONS = re.compile(
    "del words|from os import|number|same|array [+]=|print = |len = |import|f = seeded|lines|alias|put ="
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    root = tmp_path_factory.mktemp("package") / "trustnlp"
    for name, text in PACKAGE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text), encoding="utf-8")
    return package_at(root)


def found(package: Package, *cells: str) -> dict[str, str]:
    return evidence_of([CodeCell(ast.parse(cell).body) for cell in cells], package)[0]


def doubts(package: Package, planted: str, *, after: str = RECORDED) -> bool:
    """Whether a notebook has another hash with a statement planted between what makes the objects and the record."""
    without = found(package, START, USED, after)
    return bool(changes(without, found(package, START, USED, planted, after)))


@pytest.mark.parametrize("planted", HARMS)
def test_what_may_change_a_number_counts_by_itself_and_in_a_block(package: Package, planted: str) -> None:
    assert doubts(package, planted)
    if "import *" not in planted:
        assert doubts(package, "for _ in range(2):\n    if _:\n" + textwrap.indent(planted, " " * 8))


@pytest.mark.parametrize("planted", [p for p in HARMS if not NOT_IN_FUNCTIONS.search(p)])
@pytest.mark.parametrize("call", ["act()", "print(act())"])
def test_what_may_change_a_number_counts_in_a_function(package: Package, planted: str, call: str) -> None:
    assert doubts(package, f"def act():\n{textwrap.indent(planted, ' ' * 4)}\n    return 1\n{call}")


SHOWS = [
    "words", "print(words, len(words), sep='; ')", "display(frame)", "show(frame)", "frame.round(2)", "frame.groupby('a').mean().unstack()",
    "pd.DataFrame({'a': words}).T.round(2)", "shown = pd.Series(words, name='w').to_frame()\nshown", "print(f'{number:.2f} of {max(array):.1f}')",
    "for word in words:\n    print(word.upper())", "rows = []\nfor word in words:\n    rows.append({'word': word})\npd.DataFrame(rows)",
    "rows = {}\nfor word in words:\n    rows[word] = len(word)\nrows |= {'c': 1}\nprint(rows)", "table(array)", "display(table([1, 2]))",
    "assert number > 0, 'no number'", "assert all(x > 0 for x in words)", "if number > 1:\n    print('more')\nelse:\n    print('less')",
    "numbers = evidence(record)\nshow(table(numbers))", "numbers = evidence(record)\nprint(numbers['x']['mean'])", "evidence(record).series('a.{b}')",
    "figure, axes = plt.subplots()\naxes.plot(array, label='a')\naxes.set_title('a')\nplt.show()", "axes = plt.figure().add_subplot()\naxes.bar(words, array)",
    "record", "print(record.measurements)", "record.save()", "record.uses('glove')", "sorted(words, key=len)[:3]", "sorted(words, key=lambda w: -len(w))",
    "', '.join(str(w) for w in words)", "{k: v for k, v in named.items() if v}", "np.round(np.mean(array), 2)", "tensor.norm().item()", "list(zip(words, array))",
    "unused = [f(x) for x in words]", "def shorten(text):\n    return text[:3]\nprint(shorten('abcd'))", "width = 3\nprint('a' * width)", "frame.assign(b=lambda t: t.a * 2)",
    "frame.apply(lambda row: row.a, axis=1)", "frame['a'].map({1: 'one'}).fillna('-')", "print(box.look())", "print(Box(3).x)", "import statistics\nstatistics.mean([1, 2])",
    "frame.style", "pass", "'words'", "with torch.no_grad():\n    print(tensor.norm())", "limit = 1\nlimit += 1\nprint(limit)", "each(words)",
]  # fmt: skip


@pytest.mark.parametrize("planted", SHOWS)
def test_what_only_shows_does_not_count(package: Package, planted: str) -> None:
    assert not doubts(package, planted)
    assert not doubts(package, "for _ in range(2):\n    if _:\n" + textwrap.indent(planted, " " * 8))


def test_a_list_that_only_a_table_needs_does_not_count_until_something_recorded_does(package: Package) -> None:
    cell = "rows = []\nrows.append(f(1))\ntable(rows)\n"
    assert not doubts(package, cell)
    for needs in (
        "record.metric('y', rows)",
        "held = [rows]\nrecord.metric('y', held)",
        "record.metric('y', len(rows))",
    ):
        before, now = (found(package, START, USED, text, needs) for text in (cell, cell.replace("f(1)", "f(2)")))
        assert changes(before, now), needs


def test_a_name_that_is_bound_twice_counts_by_both(package: Package) -> None:
    for first in ("from trustnlp.a.one import f as g", "from trustnlp.a.one import seeded as g"):
        cells = [START, f"{first}\ng = functools.lru_cache(g)\nrecord.metric('y', g(1))"]
        assert any(name.endswith(":f") for name in found(package, *cells)) == (" f as" in first)


def test_all_variables_count_where_code_is_run_from_text(package: Package) -> None:
    cell = "hidden = 1\nexec('number = hid' + 'den')\nrecord.metric('y', number)"
    assert changes(found(package, START, cell), found(package, START, cell.replace("hidden = 1", "hidden = 2")))
