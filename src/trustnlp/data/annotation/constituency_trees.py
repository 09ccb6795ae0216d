"""The trees of the Stanford Sentiment Treebank (Socher et al. 2013), and from them the spans that a text may lose.

Kumar, Dixit and Shah (2021), §4.1.1, mask the spans that the parser benepar finds in each training text. Here they are
the nodes of the treebank's own trees: SST-2's training texts are phrases of these very sentences. The trees are binary,
so n words have 2n - 1 nodes. They come from the Stanford parser, were brought into binary form, and have no labels of
syntax: a parser's trees have fewer nodes between a sentence and its words.

The files keep the escapes of the Penn Treebank and the case of the reviews (`-LRB-`, `\\/`). SST-2 writes plain signs
in lower case, and a phrase is looked up as it is written there. Of its 67,349 training phrases 239 (0.4 %) are found in
no tree, most of them for a spelling (`humor`, where the trees have `humour`); the other parts are found as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch

Words = tuple[str, ...]
Span = tuple[int, int]
PARTS = ("train", "dev", "test")
_TOKEN = re.compile(r"[()]|[^() ]+")
_GRADES = frozenset("01234")
_ESCAPES = {"-lrb-": "(", "-rrb-": ")", "\\/": "/", "\\*": "*", "\N{NO-BREAK SPACE}": " "}
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)), re.IGNORECASE)
# What may stand behind the start of a line, a bracket, a grade and a word.
_FOLLOWERS = {"": ("(",), "(": ("grade",), "grade": ("(", "word"), "word": (")",), ")": ("(", ")")}


@dataclass(frozen=True)
class Tree:
    """A sentence and the nodes of its tree.

    Attributes
    ----------
    words
        As SST-2 writes them.
    nodes
        `(start, stop)` of each node's words, the root and single words among them, in ascending order. A leaf of two
        words (`2 1/2`) is a node without nodes below it.
    """

    words: Words
    nodes: tuple[Span, ...]


class Treebank(Mapping[str, tuple[Span, ...]]):
    """Texts and their spans: each node of the trees is a text, and the nodes below it are its spans.

    The text itself, the root, is no span of it: whoever masks it masks everything. A text of one word has no span. Of a
    phrase that stands in several trees the first one counts.

    >>> trees = Treebank([parse_tree("(3 (2 A) (3 (4 fine) (2 film)))")])
    >>> trees["a fine film"]
    ((0, 1), (1, 2), (1, 3), (2, 3))
    >>> trees["fine film"], trees["fine"], "a fine" in trees
    (((0, 1), (1, 2)), (), False)
    """

    def __init__(self, trees: Iterable[Tree]) -> None:
        self._trees = tuple(trees)
        self._places: dict[str, tuple[int, Span]] = {}
        for number, tree in enumerate(self._trees):
            for start, stop in tree.nodes:
                self._places.setdefault(" ".join(tree.words[start:stop]), (number, (start, stop)))

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees of whole sentences, in order."""
        return self._trees

    def spans_of(self, words: Sequence[str]) -> tuple[Span, ...] | None:
        """The spans `words[start:stop]` of a text, in ascending order; None where it is no node of any tree.

        Raises
        ------
        TypeError
            If a single string was given: split it at blanks first.
        """
        if isinstance(words, str):
            raise TypeError(f"spans_of takes the words of a text, got the single string {words[:40]!r}")
        return self.get(" ".join(words))

    def __getitem__(self, text: str) -> tuple[Span, ...]:
        number, (first, last) = self._places[text]
        below = (node for node in self._trees[number].nodes if first <= node[0] and node[1] <= last)
        return tuple((start - first, stop - first) for start, stop in below if (start, stop) != (first, last))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_trees(parts: Sequence[str] = PARTS) -> Treebank:
    """Fetch and read the treebank (data set `sst_trees`).

    Parameters
    ----------
    parts
        Some of `train`, `dev` and `test`; of a phrase in several of them the first one counts.

    Raises
    ------
    ValueError
        If there is no part, one twice, or another one.
    DataError
        If the trees cannot be fetched or read.
    """
    if isinstance(parts, str) or not parts or len(set(parts)) < len(parts) or not set(parts) <= set(PARTS):
        raise ValueError(f"parts must be some of {', '.join(PARTS)}, each once, got {parts!r}")
    paths = fetch("sst_trees")
    with as_described("sst_trees", paths):
        return Treebank(tree for part in parts for tree in _read_file(paths[part]))


def parse_tree(line: str) -> Tree:
    """Read a tree in brackets, `(grade word)` for a leaf and `(grade left right)` above; grades are dropped.

    Raises
    ------
    ValueError
        If not a single whole tree of this form, or a grade that is not one of 0 to 4.
    """
    words: list[str] = []
    nodes: set[Span] = set()
    starts: list[int] = []
    last = ""
    for token in _TOKEN.findall(line):
        kind = token if token in "()" else "grade" if last == "(" else "word"
        if kind not in _FOLLOWERS[last] or (kind == "grade" and token not in _GRADES) or (nodes and not starts):
            raise ValueError(f"{token!r} does not belong where it stands, behind {len(words)} words")
        if kind == "(":
            starts.append(len(words))
        elif kind == ")":
            nodes.add((starts.pop(), len(words)))
        elif kind == "word":
            words += plain_signs(token).lower().split(" ")
        last = kind
    if starts or not nodes:
        raise ValueError(f"the tree is not whole: {len(words)} words and {len(starts)} open brackets at its end")
    return Tree(tuple(words), tuple(sorted(nodes)))


def plain_signs(text: str) -> str:
    """The signs that a text of the treebank writes as escapes of the Penn Treebank.

    >>> plain_signs("-lrb- a comedy\\\\/drama -rrb-")
    '( a comedy/drama )'
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0].lower()], text)


def _read_file(path: Path) -> Iterator[Tree]:
    content = path.read_bytes().decode("utf-8")
    if not content.endswith("\n"):
        raise ValueError(f"{path.name} ends in the middle of a line")
    # Not splitlines, nor \s in a pattern: signs of Unicode that part lines and words there occur inside words.
    for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1):
        try:
            yield parse_tree(line)
        except ValueError as error:
            raise ValueError(f"{path.name}, line {number}: {error}") from error
