# ruff: noqa: E501 (a line each)
"""Where an output comes from follows from the code: what is not proven to be of the record is of the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trustnlp.reproduce.output_sources import cell_sources, mark_outputs, source_of

BEFORE = """
import functools, operator, random, time
import numpy as np
import pandas as pd
from IPython.display import HTML, display
from trustnlp.plots import show
from trustnlp.plots.intervals_over import lines_with_intervals as figure_of
from trustnlp.reproduce import Record
from trustnlp.reproduce.ledger_tables import printed_tables
from trustnlp.reproduce.page_evidence import evidence, evidence_arrays
from trustnlp.studies.aec import reproduced_tables as tables
from trustnlp.studies.aec.error_corpus import BASES as NAMES, corpus_for as train
from trustnlp.studies.aec.reproduced_tables import with_intervals as table_of
from trustnlp.studies.dpnr import private_comparisons as compare

seeds = [0]
record = Record("toy", "one", profile="smoke")
numbers, arrays = evidence(record), evidence_arrays(record)
trained = train(record, seeds)
printed = printed_tables("aec", "table1")
"""
OF_THE_RECORD = [
    "numbers",
    "arrays['rates'][str(seeds[0])]",
    "pd.Series(numbers.series('{what}', 'mean')).round(3)",
    "tables.counted_texts(numbers, printed).round(1)",
    "table_of(numbers, *seeds)",
    "{name: numbers[name]['mean'] for name in NAMES if name in numbers}",
    "{e: numbers[compare.name_of('released', e)] for e in (1, 2)}",
    "part = numbers.series('{a}')\npart = {k: v for k, v in part.items()}\npart",
    "rows = []\nfor key in numbers:\n    rows.append(numbers[key])\nrows",
    "def of(name):\n    return table_of(numbers, name)\n\nof('a')",
    "def of(name):\n    rows = []\n    rows.append(numbers[name])\n    return rows\n\nof('a')\nof('b')",
    "frame = pd.DataFrame(arrays['x'])\nframe.apply(lambda row: table_of(row))",
    "table_of(numbers, np.random.default_rng(0))",
    "record.metric('a', trained)\nnumbers",
    "evidence(record).series('{a}')",
    "numbers = trained\nnumbers = evidence(record)\nnumbers",
    "lines = {s: numbers[f'a.{s}'] for s in seeds}\nran = {s: train(record, s) for s in seeds}\nlines",
    "rows = {}\nrows['a'] = trained\nrows = {}\nrows['a'] = numbers['a']\nrows",
    "total = 0\nfor key in numbers:\n    total += numbers[key]['mean']\ntotal",
    "list(map(lambda key: numbers[key], sorted(numbers)))",
    "if numbers['a']['mean'] > 1:\n    word = 'more'\nelse:\n    word = 'less'\nword",
]
OF_THE_RUN = {
    "this run": ["trained", "record", "record.metrics", "1 + 1", "printed", "table_of(seeds)", "time.time()"],
    "both": [
        "tables.counted_texts(numbers, trained)",
        "{name: (numbers[name], trained[name]) for name in NAMES}",
        "[n for n in numbers if n in trained]",
        "max(numbers, key=lambda n: trained[n])",
        "f'{numbers} {trained}'",
        "numbers if trained else printed",
        "(trained and numbers)",
        "numbers[trained]",
        "numbers[:trained]",
        "sum(numbers.values(), start=trained)",
        "(lambda: trained)() or numbers",
        "[*numbers, *trained]",
        "{**numbers, **trained}",
        "(x := trained) and numbers",
    ],
    "a part is set": [
        "part = numbers\npart['x'] = trained\npart",
        "numbers['x'] = trained\nnumbers",
        "numbers['x']['mean'] += trained\nnumbers",
        "numbers.extra = trained\nnumbers",
        "numbers += trained\nnumbers",
        "numbers |= trained\nnumbers",
        "numbers['x'], y = trained, 1\nnumbers",
        "for numbers['x'] in trained:\n    pass\nnumbers",
        "with train(record) as numbers['x']:\n    pass\nnumbers",
        "del numbers['x'], trained['y']\nnumbers",
        "frame = pd.DataFrame(arrays)\nframe.loc[0, 'x'] = trained\nframe",
    ],
    "a method changes it": [
        "numbers.update(trained)\nnumbers",
        "x = numbers.update(trained)\nnumbers",
        "x = y = numbers.setdefault('a', trained)\nnumbers",
        "x: object = numbers.update(trained)\nnumbers",
        "_ = [numbers.update(trained)]\nnumbers",
        "print(numbers.update(trained))\nnumbers",
        "assert numbers.update(trained) is None\nnumbers",
        "if numbers.update(trained):\n    pass\nnumbers",
        "for _ in [numbers.update(trained)]:\n    pass\nnumbers",
        "dict.update(numbers, trained)\nnumbers",
        "numbers.__setitem__('x', trained)\nnumbers",
        "operator.setitem(numbers, 'x', trained)\nnumbers",
        "operator.ior(numbers, trained)\nnumbers",
        "functools.reduce(operator.ior, [numbers, trained])\nnumbers",
        "list(map(numbers.update, [trained]))\nnumbers",
        "put = numbers.update\nput(trained)\nnumbers",
        "put = functools.partial(numbers.update, trained)\nput()\nnumbers",
        "setattr(numbers, 'x', trained)\nnumbers",
        "trained.fill(numbers)\nnumbers",
        "tables.fill(numbers, trained)\nnumbers",
        "tables.fill(into=numbers, what=trained)\nnumbers",
        "tables.fill(*[numbers], **{'what': trained})\nnumbers",
        "np.copyto(arrays['x'], trained)\narrays",
        "arrays['x'].sort(key=trained)\narrays",
        "record.metric('a', numbers.update(trained))\nnumbers",
        "[row.update(trained) for row in numbers.values()]\nnumbers",
        "for row in numbers.values():\n    row.update(trained)\nnumbers",
        "for row in numbers.values():\n    row['x'] = trained\nnumbers",
        "(numbers or {}).update(trained)\nnumbers",
        "(numbers if seeds else {}).update(trained)\nnumbers",
        "[numbers][0].update(trained)\nnumbers",
        "rows = []\nrows.append(trained)\ntable_of(numbers, rows)",
        "seeds.append(trained)\ntable_of(numbers, seeds)",
        "box = []\ntables.fill(box, trained)\ntable_of(numbers, box)",
    ],
    "by another name": [
        "other = numbers\nother.update(trained)\nnumbers",
        "other = numbers\nnumbers.update(trained)\nother",
        "other = [numbers]\nother[0].update(trained)\nnumbers",
        "other = {'a': numbers}\nother['a']['x'] = trained\nnumbers",
        "one = two = numbers\none.update(trained)\ntwo",
        "one, two = numbers, numbers\none.update(trained)\ntwo",
        "first, *others = numbers.values()\nfirst['x'] = trained\nnumbers",
        "(other := numbers).update(trained)\nnumbers",
        "other = numbers if seeds else {}\nother.update(trained)\nnumbers",
        "for other in [numbers]:\n    other.update(trained)\nnumbers",
        "for other in [numbers]:\n    pass\nother.update(trained)\nnumbers",
        "held = dict(numbers)\ninner = held['a']\ninner['mean'] = trained\nheld",
        "held = dict(numbers)\ninner = held['a']\ninner['mean'] = trained\nnumbers",
        "inner = numbers['a']\nnumbers2 = numbers\ninner['mean'] = trained\nnumbers2",
        "whole = {}\nrow = whole.setdefault('a', [])\nrow.append(trained)\ntable_of(numbers, whole)",
        "def same(x):\n    return x\n\nother = same(numbers)\nother.update(trained)\nnumbers",
        "def held():\n    return numbers\n\nheld().update(trained)\nnumbers",
        "other = tables.counted_texts(numbers, printed)\nother['x'] = trained\nnumbers",
        "match numbers:\n    case other:\n        other.update(trained)\nnumbers",
        "alias = seeds\nalias.append(trained)\ntable_of(numbers, seeds)",
        "class Holder:\n    held = numbers\n\nHolder.held.update(trained)\nnumbers",
    ],
    "what decides": [
        "if trained:\n    numbers = {}\nnumbers",
        "while trained:\n    numbers = {}\nnumbers",
        "for _ in trained:\n    numbers = {}\nnumbers",
        "try:\n    train(record)\nexcept ValueError:\n    numbers = {}\nnumbers",
        "match trained:\n    case 1:\n        numbers = {}\nnumbers",
        "rows = []\nfor key in numbers:\n    if key in trained:\n        break\n    rows.append(key)\nrows",
        "rows = []\nfor key in trained:\n    rows.append(numbers[key])\n    rows.append(key)\nrows",
        "try:\n    train(record)\nexcept ValueError as error:\n    text = str(error)\nf'{numbers} {text}'",
        "with train(seeds) as numbers:\n    pass\nnumbers",
    ],
    "a function": [
        "def of(name):\n    return numbers[name], trained\n\nof('a')",
        "def of(name, also=trained):\n    return numbers[name], also\n\nof('a')",
        "def of(name, *, also=train(record)):\n    return numbers[name], also\n\nof('a')",
        "of = lambda name, also=trained: (numbers[name], also)\nof('a')",
        "@train\ndef of(name):\n    return numbers[name]\n\nof('a')",
        "@trained\ndef of(name):\n    return numbers[name]\n\nof('a')",
        "@trained.wrap(1)\ndef of(name):\n    return numbers[name]\n\nof('a')",
        "def of():\n    yield from trained\n\nlist(of()), numbers",
        "def of():\n    yield trained\n\nlist(of()), numbers",
        "def of():\n    yield from (t for t in trained)\n\nsum(of(), numbers)",
        "async def of():\n    return trained\n\nawait of(), numbers",
        "def of():\n    def inner():\n        return trained\n    return inner\n\nof()(), numbers",
        "def of():\n    return train(record)\n\ndef by():\n    return of()\n\nby(), numbers",
        "def of(x):\n    return x\n\nof(trained), numbers",
        "def of(x):\n    if trained:\n        return x\n\nof(numbers)",
        "def of(x):\n    while trained:\n        return x\n\nof(numbers)",
        "def of(x):\n    return [x for _ in trained]\n\nof(numbers)",
        "def of(x):\n    try:\n        train(x)\n    except ValueError as error:\n        return error\n\nof(numbers)",
        "def of(x):\n    import random\n    return random.random()\n\nof(numbers)",
        "def of(x):\n    from trustnlp.studies.aec.error_corpus import corpus_for\n    return corpus_for(x)\n\nof(numbers)",
        "def of(x):\n    return eval('trained')\n\nof(numbers)",
        "pick = functools.partial(max, trained)\npick(numbers)",
        "class Of:\n    def __call__(self):\n        return trained\n\nOf()(), numbers",
        "class numbers:\n    pass\nnumbers",
    ],
    "what a function does": [
        "def put():\n    numbers.update(trained)\n\nput()\nnumbers",
        "def put():\n    numbers['x'] = trained\n\nput()\nnumbers",
        "def put(into):\n    into['x'] = trained\n\nput(numbers)\nnumbers",
        "def put(into, what):\n    into.update(what)\n\nput(numbers, trained)\nnumbers",
        "def put(into, what):\n    into |= what\n\nput(numbers, trained)\nnumbers",
        "def put(into, what):\n    other = into\n    other.update(what)\n\nput(numbers, trained)\nnumbers",
        "def put(into, what):\n    for row in into:\n        row.update(what)\n\nput(numbers, trained)\nnumbers",
        "def put(into, what):\n    rows = [into]\n    rows[0].update(what)\n\nput(numbers, trained)\nnumbers",
        "def put():\n    global numbers\n    numbers = trained\n\nput()\nnumbers",
        "def put():\n    global fresh\n    fresh = trained\n\nput()\nfresh, numbers",
        "def put():\n    def inner():\n        global numbers\n        numbers = trained\n    inner()\n\nput()\nnumbers",
        "def put():\n    numbers.update(trained)\n\ndef by():\n    put()\n\nx = by()\nnumbers",
        "put = lambda: numbers.update(trained)\nput()\nnumbers",
        "put = lambda into: into.update(trained)\n[put(x) for x in [numbers]]\nnumbers",
        "def put():\n    numbers.update(trained)\n\ncalls = [put]\ncalls[0]()\nnumbers",
        "def put(into, what):\n    into.append(what)\n\nput(seeds, trained)\ntable_of(numbers, seeds)",
        "def put(into):\n    into.append(trained)\n\nlist(map(put, [seeds]))\ntable_of(numbers, seeds)",
        "def put(f):\n    numbers.update(trained)\n    return f\n\n@put\ndef of():\n    pass\n\nnumbers",
    ],
    "what is bound later": [
        "other = numbers\ndef of():\n    return other\n\nother = trained\nof()",
        "def of():\n    return other\n\nother = trained\nof(), numbers",
        "other = numbers\nof = lambda: other\nother = trained\nof()",
        "other = numbers\nof = [lambda: other]\nother = trained\nof[0]()",
        "other = numbers\ndef of():\n    return other\n\nby = of\nother = trained\nby()",
        "other = numbers\ndef of():\n    return by()\n\ndef by():\n    return other\n\nother = trained\nof()",
        "def of():\n    return by(numbers)\n\nby = train\nof()",
        "def of():\n    return by(numbers)\n\nfrom trustnlp.studies.aec.error_corpus import corpus_for as by\nof()",
        "other = numbers\nrows = (other for _ in numbers)\nother = trained\nlist(rows)",
        "other = numbers\nrows = map(lambda key: other, numbers)\nother = trained\nlist(rows)",
        "def of():\n    other = yield numbers\n    yield late\n\nlate = numbers\nrows = of()\nlate = trained\nlist(rows)",
        "def make():\n    return lambda: other\n\nother = numbers\nof = make()\nother = trained\nof()",
        "other = numbers\ndef of():\n    return other\n\nfor other in trained:\n    of()\nof()",
    ],
    "names that nobody can follow": [
        "exec('numbers = trained')\nnumbers",
        "eval('numbers.update(trained)')\nnumbers",
        "globals()['numbers'] = trained\nnumbers",
        "globals().update(numbers=trained)\nnumbers",
        "held = globals()\nheld['numbers'] = trained\nnumbers",
        "vars()['numbers'] = trained\nnumbers",
        "vars().update(numbers=trained)\nnumbers",
        "held = vars()\nheld['numbers'] = trained\nnumbers",
        "held = vars()\nother = held\nother.update(numbers=trained)\nnumbers",
        "locals()['numbers'] = trained\nnumbers",
        "def put(into):\n    into['numbers'] = trained\n\nput(vars())\nnumbers",
        "import __main__\n__main__.numbers = trained\nnumbers",
        "import sys\nsys.modules['__main__'].numbers = trained\nnumbers",
        "import builtins\nbuiltins.exec('numbers = trained')\nnumbers",
        "get_ipython().push({'numbers': trained})\nnumbers",
        "__builtins__.exec('numbers = trained')\nnumbers",
        "from trustnlp.studies.aec.error_corpus import *\nnumbers",
        "run = exec\nrun('numbers = trained')\nnumbers",
        "getattr(__builtins__, 'exec')('numbers = trained')\nnumbers",
        "%time numbers",
        "%run other.py\nnumbers",
        "!touch x\nnumbers",
        "del numbers\nnumbers",
        "unknown, numbers",
    ],
    "another record": [
        "fake = trained\nevidence(fake)",
        "evidence(train(record))",
        "evidence(record=record, other=trained)",
        "evidence = train\nevidence(record)",
        "def evidence(record):\n    return trained\n\nevidence(record)",
        "record = trained\nevidence(record)",
        "record.notebook = 'two'\nevidence(record)",
        "tables.with_intervals = train\ntables.with_intervals(numbers)",
        "setattr(tables, 'with_intervals', train)\ntables.with_intervals(numbers)",
        "from trustnlp.reproduce import page_evidence\npage_evidence.evidence = lambda r: 1\nevidence(record)",
        "for record in [trained]:\n    pass\nevidence(record)",
    ],
    "chance, clocks and files": [
        "table_of(numbers, np.random.rand(3))",
        "table_of(numbers, np.random.default_rng())",
        "table_of(numbers, vars())",
        "table_of(numbers, open('x').read())",
        "table_of(numbers, input())",
        "table_of(numbers, random.random())",
        "table_of(numbers, time.perf_counter())",
        "table_of(numbers, id(seeds))",
        "table_of(numbers, pd.read_csv('x.csv'))",
        "table_of(numbers, np.load('x.npy'))",
        "table_of(numbers, np.fromfile('x'))",
        "table_of(numbers, pd.Timestamp('now'))",
        "table_of(numbers, __import__('random').random())",
        "train(numbers)",
        "list(map(train, numbers))",
        "tables.not_there(numbers)",
    ],
}


def result(code: str, *, committed: bool = True, lesson: bool = False) -> dict[str, str]:
    return cell_sources([BEFORE, code], committed=committed, lesson=lesson)[1].result


@pytest.mark.parametrize("code", OF_THE_RECORD)
def test_what_is_computed_from_the_record_alone_is_of_the_record(code: str) -> None:
    assert result(code) == {"source": "record"}


@pytest.mark.parametrize("code", OF_THE_RECORD)
def test_without_a_record_the_same_is_of_the_run(code: str) -> None:
    """`evidence` then gives the run's own numbers: nothing may call them the committed record's."""
    assert result(code, committed=False)["source"] == "run"


@pytest.mark.parametrize(("kind", "code"), [(kind, code) for kind, codes in OF_THE_RUN.items() for code in codes])
def test_everything_else_is_of_the_run(kind: str, code: str) -> None:
    assert result(code)["source"] == "run", kind
    assert result(code, lesson=True)["source"] == "lesson", kind


def test_what_the_paper_prints_is_said_to_be_print() -> None:
    assert result("table_of(printed)") == {"source": "run", "of": "print"}
    assert result("table_of(printed, trained)") == {"source": "run"}


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("show(*figure_of(numbers))", "record"),
        ("lines = {n: numbers[n] for n in NAMES}\nshow(*figure_of(lines))", "record"),
        ("record.metric('a', trained)\nshow(*figure_of(numbers))", "record"),
        ("found = train(record)\nshow(*figure_of(numbers))", "run"),
        ("show(*figure_of(trained))", "run"),
        ("print(trained)\nnumbers", "run"),
        ("for seed in trained:\n    show(*figure_of(numbers))", "run"),
    ],
)
def test_what_a_cell_displays_on_the_way_is_told_from_its_result(code: str, shown: str) -> None:
    assert cell_sources([BEFORE, code], committed=True, lesson=False)[1].shown["source"] == shown


def test_every_output_is_marked_and_one_that_says_its_source_keeps_it() -> None:
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": "1"},
        {"output_type": "display_data", "data": {}, "metadata": {"trustnlp": {"source": "run", "only": "x"}}},
        {"output_type": "execute_result", "data": {}, "metadata": {}},
    ]
    cells = [
        {"cell_type": "markdown", "source": "# T", "metadata": {}},
        {"cell_type": "code", "source": BEFORE, "outputs": [], "metadata": {}},
        {"cell_type": "code", "source": ["print(1)\n", "numbers"], "outputs": outputs, "metadata": {}},
    ]
    notebook = {"cells": cells}
    mark_outputs(notebook, committed=True, lesson=False)
    told = [source_of(cells[2], output).get("source") for output in outputs]
    assert told == ["run", "run", "record"]
    assert "of" not in json.dumps(outputs[1])
