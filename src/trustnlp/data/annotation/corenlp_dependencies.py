"""spaCy's dependency trees in the labels of Stanford's, as the 198 Semgrex rules of Tang and Surdeanu name them.

spaCy's English pipeline has the labels of ClearNLP: a preposition stands between two nouns, `be` heads its predicate,
and a conjunct hangs on the one before it. Stanford's parser of 2015 (Universal Dependencies 1, collapsed) has none of
that. What is done here, in this order; the tree stays a tree:

- Later trees of a sentence hang on the first root, as `parataxis`.
- A preposition hangs on its object as `case`; the object takes its place, as `nmod:in` (two in a row: `nmod:out_of`).
  A clause after a preposition becomes `advcl:after`, and the preposition its `mark`.
- A conjunct hangs on the first of its row, as `conj:and`.
- A predicate of `be` takes the place of the verb, which hangs on it as `cop`.
- The remaining labels have other names (`relcl` is `acl:relclause`); dates without a preposition are `nmod:tmod`.

Where the rules and Stanford's parser differ, the rules decide: the parser prints `acl:relcl`, which no rule names, and
`nmod:agent`, where a rule has `nmod:by`. One label per token cannot be `rcmod` (4 rules have it alone) or `poss` (4
rules) as well; and no label fits `/amod./` (14 rules), which asks for one letter more, or `/;mod:poss/` (1 rule).
"""

from __future__ import annotations

from collections.abc import Sequence

ROOT = -1
_PREPOSITIONS = frozenset({"prep", "agent", "dative"})
_COORDINATORS = {"&": "and", "as": "and", "well": "and"}  # "as well as"
_BE = frozenset({"be", "is", "was", "are", "were", "been", "being", "am", "'s", "'re", "'m"})
_SAME = (
    "acl advcl advmod amod appos aux auxpass case cc ccomp compound conj csubj csubjpass dep det dobj expl mark neg "
    "nsubj nsubjpass nummod parataxis punct xcomp"
)
LABELS = {
    **{label: label for label in _SAME.split()},
    "acomp": "xcomp",
    "agent": "advmod",
    "attr": "xcomp",
    "dative": "iobj",
    "intj": "discourse",
    "nmod": "compound",
    "npadvmod": "nmod:npmod",
    "oprd": "xcomp",
    "pcomp": "advcl",
    "pobj": "nmod",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prep": "advmod",
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relclause",
    "ROOT": "root",
}
UNKNOWN = "dep"


def one_tree(heads: Sequence[int], relations: Sequence[str]) -> tuple[list[int], list[str]]:
    """A parse whose later roots hang on the first one, with the label `parataxis`.

    Parameters
    ----------
    heads
        A root is its own head, as in spaCy, or has the head -1.

    Returns
    -------
    heads, relations
        The one root has the head -1.
    """
    roots = [token for token, head in enumerate(heads) if head in (token, ROOT)]
    joined, names = list(heads), list(relations)
    for root in roots:
        joined[root] = ROOT if root == roots[0] else roots[0]
        if root != roots[0]:
            names[root] = "parataxis"
    return joined, names


def stanford_tree(
    words: Sequence[str], heads: Sequence[int], relations: Sequence[str], temporal: Sequence[bool]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """A spaCy parse of `T` tokens as one tree in Stanford's labels.

    Parameters
    ----------
    words, heads, relations
        `(T,)` as spaCy gives them; a root is its own head.
    temporal
        `(T,)` whether a token belongs to a date or a time.

    Returns
    -------
    heads, labels
        `(T,)` each; the root has the head -1 and the label `root`.
    """
    tree = _Tree(words, *one_tree(heads, relations))
    tree.name_conjuncts()
    tree.collapse_prepositions()
    tree.lower_copulas()
    labels = [tree.label_of(token, temporal[token]) for token in range(len(words))]
    return tuple(tree.heads), tuple(labels)


class _Tree:
    """A tree in the making. `done` has the labels that are Stanford's already."""

    def __init__(self, words: Sequence[str], heads: list[int], relations: list[str]) -> None:
        self.words = [word.lower() for word in words]
        self.heads = heads
        self.relations = relations
        self.done: dict[int, str] = {}
        self.children: list[list[int]] = [[] for _ in heads]
        for token, head in enumerate(heads):
            if head != ROOT:
                self.children[head].append(token)

    def label_of(self, token: int, temporal: bool = False) -> str:
        """A token's label as far as it is known."""
        if self.heads[token] == ROOT:
            return "root"
        if token in self.done:
            return self.done[token]
        relation = self.relations[token]
        return "nmod:tmod" if relation == "npadvmod" and temporal else LABELS.get(relation, UNKNOWN)

    def _below(self, token: int, *relations: str) -> list[int]:
        return [child for child in self.children[token] if self.relations[child] in relations]

    def _move(self, token: int, head: int) -> None:
        if self.heads[token] != ROOT:
            self.children[self.heads[token]].remove(token)
        self.heads[token] = head
        if head != ROOT:
            self.children[head].append(token)

    # --- conjuncts ---------------------------------------------------------------------------------------------------

    def name_conjuncts(self) -> None:
        conjuncts = [token for token, relation in enumerate(self.relations) if relation == "conj"]
        for token in conjuncts:
            word = self._coordinator(token)
            self.done[token] = f"conj:{word}" if word else "conj"
        for token in conjuncts:  # heads come before their conjuncts, or are no conjuncts: one step each is enough
            first = self.heads[token]
            while self.relations[first] == "conj":
                first = self.heads[first]
            for other in (token, *self._below(token, "cc")):
                self._move(other, first)

    def _coordinator(self, token: int) -> str:
        between = [word for word in self._below(self.heads[token], "cc") if word < token]
        if between:
            word = self.words[between[-1]]
            return _COORDINATORS.get(word, word)
        return next((self._coordinator(later) for later in self._below(token, "conj")), "")

    # --- prepositions ------------------------------------------------------------------------------------------------

    def object_of(self, token: int) -> int:
        """The token in a preposition's place: its object, or that of the one below it; the token itself for others."""
        if objects := self._below(token, "pobj", "pcomp"):
            return self.object_of(objects[0])
        if self.relations[token] in _PREPOSITIONS:
            for below in self._below(token, "prep"):
                if (place := self.object_of(below)) != below:
                    return place
        return token

    def collapse_prepositions(self) -> None:
        candidates = {self.heads[token] for token, name in enumerate(self.relations) if name in ("pobj", "pcomp")}
        candidates |= {token for token, name in enumerate(self.relations) if name in _PREPOSITIONS}
        replaced = {token: lower for token in sorted(candidates) if (lower := self.object_of(token)) != token}
        labels: dict[int, str] = {}
        heads = list(self.heads)
        for place in sorted(set(replaced.values())):
            chain = [place]  # from the object up to the first preposition
            while (above := self.heads[chain[-1]]) != ROOT and replaced.get(above) == place:
                chain.append(above)
            top, link = chain[-1], self.relations[place]
            heads[place] = self.heads[top]
            if self.relations[top] in _PREPOSITIONS:
                name = "_".join(self.words[token] for token in reversed(chain[1:]))
                labels[place] = f"{'advcl' if link == 'pcomp' else 'nmod'}:{name}"
            else:
                labels[place] = self.label_of(top)
            for token in chain[1:]:
                heads[token] = place
                labels[token] = "mark" if link == "pcomp" else "case"
        for token, head in enumerate(heads):
            if (moved := replaced.get(head, head)) != self.heads[token]:
                self._move(token, moved)
        self.done.update(labels)

    # --- the verb `be` -----------------------------------------------------------------------------------------------

    def lower_copulas(self) -> None:
        verbs = {self.heads[token] for token, name in enumerate(self.relations) if name in ("attr", "acomp")}
        for verb in sorted(verbs - {ROOT}):
            predicates = self._below(verb, "attr") + self._below(verb, "acomp")
            if self.words[verb] not in _BE or not predicates or self._below(verb, "expl"):
                continue
            predicate = predicates[0]
            self.done[predicate] = self.label_of(verb)
            self.relations[predicate] = self.relations[verb]
            self._move(predicate, self.heads[verb])
            for child in list(self.children[verb]):
                self._move(child, predicate)
            self._move(verb, predicate)
            self.done[verb] = "cop"
