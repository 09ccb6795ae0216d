# ruff: noqa: E501 (a line each)
"""Where an output comes from follows from the code: what is not proven to be of the record is of the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trustnlp.reproduce.notebooks.output_sources import cell_sources, mark_outputs, source_of

BEFORE = """
import functools, operator, random, time
import networkx as nx
import numpy as np
import pandas as pd
from collections import Counter
from scipy import stats
from IPython.display import HTML, display
from trustnlp.plots import show
from trustnlp.plots.intervals_over import lines_with_intervals as figure_of
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.pages.page_evidence import evidence, evidence_arrays
from trustnlp.studies.aec.reproduction import reproduced_tables as tables
from trustnlp.studies.aec.data.error_corpus import BASES as NAMES, corpus_for as train
from trustnlp.studies.aec.reproduction.reproduced_tables import with_intervals as table_of
from trustnlp.studies.dpnr.reproduction import private_comparisons as compare

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
        "def of(x):\n    from trustnlp.studies.aec.data.error_corpus import corpus_for\n    return corpus_for(x)\n\nof(numbers)",
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
        "def of():\n    return by(numbers)\n\nfrom trustnlp.studies.aec.data.error_corpus import corpus_for as by\nof()",
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
        "from trustnlp.studies.aec.data.error_corpus import *\nnumbers",
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
        "from trustnlp.reproduce.pages import page_evidence\npage_evidence.evidence = lambda r: 1\nevidence(record)",
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
    "parts of it in a fresh container": [
        "boxes = [[], []]\nfor box, row in zip(boxes, trained):\n    box.append(row)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nfor i, box in enumerate(boxes):\n    box.append(trained[i])\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nfor box in map(lambda x: x, boxes):\n    box.append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\npairs = list(zip(boxes, trained))\npairs[0][0].append(pairs[0][1])\ntable_of(numbers, boxes)",
        "boxes = [[], []]\npairs = [(b, t) for b, t in zip(boxes, trained)]\npairs[0][0].append(1)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nrows = [b for b in boxes if trained]\nrows[0].append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nrow = (boxes[0], trained)\nrow[0].append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nrows = dict(enumerate(boxes)) if trained else {}\nrows[0].append(trained)\ntable_of(numbers, boxes)",
        "boxes = {'a': []}\nrows = [(b, t) for b, t in zip(boxes.values(), trained)]\nrows[0][0].append(1)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nrow = max(boxes, key=lambda b: trained[0])\nrow.append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nlist(zip(boxes, [1]))[0][0].append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nnext(iter(boxes)).append(trained)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\n[b.append(t) for b, t in zip(boxes, trained)]\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nlist(map(list.append, boxes, trained))\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nx = list(map(list.append, boxes, trained))\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nlist(map(lambda b, t: b.append(t), boxes, trained))\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nfor box, _ in sorted(zip(boxes, trained)):\n    box.append(1)\ntable_of(numbers, boxes)",
        "boxes = [[], []]\ndef put(pairs):\n    for b, t in pairs:\n        b.append(t)\nput(zip(boxes, trained))\ntable_of(numbers, boxes)",
        "boxes = [[], []]\nfor row in zip(*[boxes, trained]):\n    row[0].append(row[1])\ntable_of(numbers, boxes)",
        "rows = list(zip(numbers.values(), seeds))\nrows[0][0]['x'] = trained\nnumbers",
        "rows = list(map(lambda r: r, numbers.values()))\nrows[0]['x'] = trained\nnumbers",
        "rows = dict(zip('ab', numbers.values()))\nrows['a']['x'] = trained\nnumbers",
        "boxes = [[], []]\nfirst = boxes.copy() if trained else 1\nfirst[0].append(2)\ntable_of(numbers, boxes)",
        "box = np.zeros(3)\nview = np.asarray(box) if trained else box * 2\nview[0] = trained\ntable_of(numbers, box)",
        "boxes = [[], []]\nwhile boxes and trained:\n    b = boxes[0]\n    b.append(trained)\ntable_of(numbers, boxes)",
        "import itertools\nboxes = [[], []]\nfor b in itertools.chain(boxes):\n    b.append(trained)\ntable_of(numbers, boxes)",
        "import itertools\nboxes = [[], []]\nrows = list(itertools.product(boxes, trained))\nrows[0][0].append(2)\ntable_of(numbers, boxes)",
    ],
    "in place": [
        "frame = pd.DataFrame({'a': [1]})\nframe.rename(columns=trained, inplace=True)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\n_ = frame.sort_values(trained, inplace=True)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\nframe.replace(1, trained, inplace=True)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\nframe['a'].replace(1, trained, inplace=True)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\n_ = frame.fillna(trained, inplace=True)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\nframe.replace(1, trained, **{'inplace': True})\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\nyes = True\nx = frame.replace(1, trained, inplace=yes)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame(arrays['x'])\nframe.replace(1, trained, inplace=True)\nframe",
        "frame = pd.DataFrame({'a': [1]})\ndef put(f):\n    f.replace(1, trained, inplace=True)\nput(frame)\ntable_of(numbers, frame)",
        "frame = pd.DataFrame({'a': [1]})\nframe.eval('a = @trained', inplace=True)\ntable_of(numbers, frame)",
    ],
    "written into what is handed over": [
        "box = np.zeros(3)\nx = np.add(1, trained, out=box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nnp.add(1, trained, out=box)\ntable_of(numbers, box)",
        "np.add(1, trained, out=arrays['x'])\narrays",
        "x = np.add(1, trained, out=arrays['x'])\narrays",
        "box = np.zeros(3)\nx = np.exp(trained, box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nnp.exp(trained, box)\ntable_of(numbers, box)",
        "np.exp(trained, arrays['x'])\narrays",
        "box = np.zeros(3)\nnp.add.at(box, [0], trained)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nx = np.add.at(box, [0], trained)\ntable_of(numbers, box)",
        "np.add.at(arrays['x'], [0], trained)\narrays",
        "x = np.add.at(arrays['x'], [0], trained)\narrays",
        "box = np.zeros(3)\nadd = np.add.at\nadd(box, [0], trained)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nx = np.median(box, axis=trained, overwrite_input=True)\ntable_of(numbers, box)",
        "x = np.median(arrays['x'], axis=trained, overwrite_input=True)\narrays",
        "box = np.zeros(3)\nx = box.clip(0, trained, box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nx = trained.mean(0, None, box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nx = trained.mean(out=box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nx = np.copyto(box, trained)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nnp.put_along_axis(box, [0], trained, 0)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nnp.putmask(box, [0], trained)\ntable_of(numbers, box)",
        "box = np.zeros(3)\nnp.ndarray.fill(box, trained)\ntable_of(numbers, box)",
        "box = [1]\nx = list.append(box, trained)\ntable_of(numbers, box)",
        "c = Counter()\nc.subtract(trained)\ntable_of(numbers, c)",
        "c = Counter()\nx = c.subtract(trained)\ntable_of(numbers, c)",
        "box = pd.Series([1])\nbox.update(trained)\ntable_of(numbers, box)",
        "box = pd.Series([1])\nx = pd.Series.update(box, trained)\ntable_of(numbers, box)",
        "graph = nx.Graph()\ngraph.add_edges_from(trained)\ntable_of(numbers, graph)",
        "graph = nx.Graph()\nx = nx.set_node_attributes(graph, trained)\ntable_of(numbers, graph)",
        "graph = nx.Graph()\nnx.set_node_attributes(graph, trained)\ntable_of(numbers, graph)",
        "def out(b):\n    np.add(1, trained, out=b)\n\nbox = np.zeros(3)\nout(box)\ntable_of(numbers, box)",
        "box = np.zeros(3)\n_ = [np.add(1, t, out=box) for t in trained]\ntable_of(numbers, box)",
        "box = np.zeros(3)\nadd = np.add\n_ = add(1, trained, box)\ntable_of(numbers, box)",
    ],
    "a function that remembers": [
        "def of(x, seen=[]):\n    seen.append(x)\n    return seen\n\nof(trained)\nof(numbers)",
        "def of(x, seen=[]):\n    seen.append(x)\n    return seen\n\na = of(trained)\nof(numbers)",
        "def of(x, *, seen={}):\n    seen[0] = x\n    return seen\n\na = of(trained)\nof(numbers)",
        "def of(x, *, seen={}):\n    seen |= x\n    return seen\n\na = of(trained)\nof(numbers)",
        "def of(x, seen=[]):\n    s = seen\n    s += [x]\n    return seen\n\na = of(trained)\nof(numbers)",
        "of = lambda x, seen=[]: seen.append(x) or seen\na = of(trained)\nof(numbers)",
        "def make():\n    held = []\n    def put(x):\n        held.append(x)\n        return held\n    return put\n\nput = make()\na = put(trained)\nput(numbers)",
        "def make():\n    held = [0]\n    def put(x):\n        held[0] = x\n        return held\n    return put\n\nput = make()\na = put(trained)\nput(numbers)",
        "def make():\n    held = 0\n    def put(x):\n        nonlocal held\n        old, held = held, x\n        return old\n    return put\n\nput = make()\na = put(trained)\nput(numbers)",
        "def make():\n    held = []\n    return lambda x: held.append(x) or held\n\nput = make()\na = put(trained)\nput(numbers)",
        "def make(held):\n    def put(x):\n        held.append(x)\n        return held\n    return put\n\nput = make([])\na = put(trained)\nput(numbers)",
        "def make():\n    held = []\n    return held.append, held\n\nput, held = make()\nput(trained)\ntable_of(numbers, held)",
        "def make():\n    held = []\n    def put(x):\n        held.append(x)\n    def get():\n        return held\n    return put, get\n\nput, get = make()\nput(trained)\ntable_of(numbers, get())",
        "def make():\n    held = []\n    def put(x):\n        held.append(x)\n        return held\n    return put\n\nput = make()\ndef by(x):\n    return put(x)\n\na = by(trained)\nput(numbers)",
        "def of(x):\n    last, of.last = getattr(of, 'last', 0), x\n    return last\n\na = of(trained)\nof(numbers)",
        "@functools.cache\ndef of():\n    return [0]\n\nof().append(trained)\ntable_of(numbers, of())",
        "def of(x, seen=[0]):\n    seen[0], old = x, seen[0]\n    return old\n\nlist(map(of, trained))\nof(numbers)",
        "def of(x, seen=[0]):\n    return seen\n\nof(1).append(trained)\ntable_of(numbers, of(1))",
        "box = []\ndef of(x, seen=box):\n    seen.append(x)\n    return seen\n\na = of(trained)\ntable_of(numbers, box)",
        "def walk():\n    x = 0\n    while True:\n        x = yield x\n\nw = walk()\nnext(w)\nw.send(trained)\ntable_of(numbers, w.send(1))",
        "def walk():\n    x = 0\n    while True:\n        x = yield x\n\nw = walk()\nnext(w)\na = w.send(trained)\ntable_of(numbers, next(w))",
        "it = iter([1, 2, 3])\nif trained:\n    next(it)\ntable_of(numbers, next(it))",
    ],
    "chance without a seed": [
        "table_of(numbers, stats.norm.rvs(3))",
        "table_of(numbers, stats.norm(0, 1).rvs(3))",
        "law = stats.norm(0, 1)\ntable_of(numbers, law.rvs(3))",
        "table_of(numbers, stats.norm.rvs(3, random_state=None))",
        "rvs = stats.norm.rvs\ntable_of(numbers, rvs(3))",
        "table_of(numbers, stats.norm.rvs(random_state=seeds and None))",
        "from scipy.stats import norm\ntable_of(numbers, norm.rvs())",
        "table_of(numbers, getattr(stats.norm, 'rvs')(3))",
        "table_of(numbers, stats.qmc.Sobol(2).random(3))",
        "import scipy\ntable_of(numbers, scipy.optimize.differential_evolution(len, [1]))",
        "import scipy\ntable_of(numbers, scipy.sparse.random(3, 3))",
        "from scipy.cluster.vq import kmeans\ntable_of(numbers, kmeans(1, 2))",
        "table_of(numbers, nx.gnp_random_graph(5, 0.5))",
        "table_of(numbers, nx.fast_gnp_random_graph(5, 0.5, seed=None))",
        "table_of(numbers, nx.spring_layout(nx.Graph()))",
        "table_of(numbers, nx.barabasi_albert_graph(5, 2))",
        "table_of(numbers, nx.generators.random_graphs.gnm_random_graph(5, 2))",
        "table_of(numbers, nx.community.louvain_communities(nx.Graph()))",
        "make = nx.gnp_random_graph\ntable_of(numbers, make(5, 0.5))",
        "table_of(numbers, nx.random_tree(5))",
        "from networkx import gnp_random_graph\ntable_of(numbers, gnp_random_graph(5, 0.5))",
        "table_of(numbers, nx.random_layout(nx.Graph()))",
        "numbers.series('{a}').sample(3)",
        "pd.DataFrame(arrays['x']).sample(frac=1)",
        "pd.Series(seeds).sample(1, random_state=None)",
        "draw = pd.Series(seeds).sample\ntable_of(numbers, draw(1))",
        "frame = pd.DataFrame(arrays['x'])\nframe.groupby('a').sample(1)",
        "frame = pd.DataFrame(arrays['x'])\nframe.apply(pd.Series.sample)",
        "frame = pd.DataFrame(arrays['x'])\nframe.apply('sample')",
        "frame = pd.DataFrame(arrays['x'])\ngetattr(frame, 'sample')(1)",
        "frame = pd.DataFrame(arrays['x'])\noperator.methodcaller('sample', 1)(frame)",
        "table_of(numbers, np.random.default_rng(None))",
        "table_of(numbers, np.random.default_rng(seed=None))",
        "table_of(numbers, np.random.default_rng(*[]))",
        "table_of(numbers, np.random.default_rng(**{}))",
        "s = None\ntable_of(numbers, np.random.default_rng(s))",
        "make = np.random.default_rng\ntable_of(numbers, make())",
        "from numpy.random import default_rng\ntable_of(numbers, default_rng())",
        "table_of(numbers, np.random.default_rng(0), np.random.default_rng())",
        "table_of(numbers, np.random.default_rng(np.random.SeedSequence()))",
        "table_of(numbers, np.random.Generator(np.random.PCG64()))",
        "def rng(seed=None):\n    return np.random.default_rng(seed)\n\ntable_of(numbers, rng())",
        "table_of(numbers, list(map(np.random.default_rng, [None])))",
        "table_of(numbers, (lambda s: np.random.default_rng(s))(None))",
        "[table_of(numbers, np.random.default_rng(s)) for s in [None]]",
        "table_of(numbers, np.random.default_rng(seeds.sort()))",
        "from numpy import random as r\ntable_of(numbers, r.default_rng())",
        "table_of(numbers, np.random.default_rng({}.get(1)))",
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


SHOWS_THE_RUN = [
    "list(map(print, trained))\nnumbers",
    "x = list(map(print, trained))\nnumbers",
    "say = print\nsay(trained)\nnumbers",
    "calls = [print]\ncalls[0](trained)\nnumbers",
    "say = functools.partial(print, trained)\nsay()\nnumbers",
    "def do(f, x):\n    f(x)\n\ndo(print, trained)\nnumbers",
    "sorted(trained, key=print)\nnumbers",
    "list(map(display, trained))\nnumbers",
    "pd.Series(trained).apply(print)\nnumbers",
    "say = lambda x: print(x)\nsay(trained)\nnumbers",
    "def say(x):\n    print(x)\n\nlist(map(say, trained))\nnumbers",
    "def say(x, by=print):\n    by(x)\n\nsay(trained)\nnumbers",
    "import sys\nsys.stdout.write(str(trained))\nnumbers",
    "import sys\nw = sys.stdout\nw.write(str(trained))\nnumbers",
    "from pprint import pprint\npprint(trained)\nnumbers",
    "s = show\ns(*figure_of(trained))\nnumbers",
    "def pick():\n    return print\n\npick()(trained)\nnumbers",
    "(print if seeds else 0)(trained)\nnumbers",
    "pd.DataFrame(trained).info()\nnumbers",
    "import matplotlib.pyplot as plt\nf = plt.figure()\nf.gca().plot(trained)\nf.show()\nnumbers",
]


@pytest.mark.parametrize("code", SHOWS_THE_RUN)
def test_what_is_handed_a_function_that_prints_may_print(code: str) -> None:
    assert cell_sources([BEFORE, code], committed=True, lesson=False)[1].shown["source"] == "run"


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
