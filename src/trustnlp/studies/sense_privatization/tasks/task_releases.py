"""How the texts of a task are released: by words, by senses, by senses without a look at the text; scores are kept.

Arnold, Yesilbas and Weinzierl (2023), §3 and §4.2. `word` and `sense` are the paper's two mechanisms. `prior` is
`sense` without a look at the text: each word is given its most probable sense. The paper puts a gain down to context,
so the gain has to be over `prior`, too.

Where the time goes (profile of MRPC on one core): a third of a millisecond to search the substitute of a word, seven to
encode a text; fitting hardly counts. A score takes minutes, so it is kept under the content that it is of: texts,
vectors, ε, arm and seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.embeddings.bfloat16_search import quick_search
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_pieces import Piece
from trustnlp.privacy.text.text_privatiser import TextPrivatiser, privatiser
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.sense_privatization.tasks.private_tasks import Part, Task, score_of
from trustnlp.studies.sense_privatization.tasks.text_states import Encode
from trustnlp.training.whole_files import reading, scratch_for

ARMS = ("word", "sense", "prior")


class QuickWord(NearestWord):
    """The same substitutes in less time."""

    def __init__(self, vectors: torch.Tensor, epsilon: float) -> None:
        super().__init__(vectors, epsilon)
        self._search = quick_search(self.vectors)


class QuickSense(NearestSense):
    """The same substitutes in less time."""

    def __init__(self, inventory: SenseInventory, epsilon: float) -> None:
        super().__init__(inventory, epsilon)
        self._search = quick_search(self.vectors)


class WithoutContext(TextPrivatiser):
    """A privatiser by senses in which every word has its sense of the largest prior."""

    def _senses(self, inventory: SenseInventory, texts: Sequence[Sequence[Piece]]) -> NDArray[np.int64]:
        words = [piece.text for pieces in texts for piece in pieces if piece.is_word]
        rows = np.array([self.row(word) for word in words], dtype=np.int64)
        # The first of equal ones, as `choose_senses` has it for a word without context.
        largest = inventory.starts[:-1] + [
            int(np.argmax(inventory.prior[first:after]))
            for first, after in zip(inventory.starts[:-1], inventory.starts[1:], strict=True)
        ]
        return np.where(rows >= 0, largest[rows], -1)


def release_of(arm: str, vectors: WordVectors, inventory: SenseInventory, epsilon: float) -> TextPrivatiser:
    """The privatiser of one of `ARMS`.

    Raises
    ------
    ValueError
        Another arm.
    """
    if arm not in ARMS:
        raise ValueError(f"an arm is one of {', '.join(ARMS)}, got {arm!r}")
    if arm == "word":
        return privatiser(vectors=vectors, mechanism=QuickWord(torch.tensor(vectors.matrix), epsilon))
    known = privatiser(vectors=vectors, mechanism=QuickSense(inventory, epsilon))
    if arm == "sense":
        return known
    values = {field.name: getattr(known, field.name) for field in fields(TextPrivatiser)}
    return WithoutContext(**{**values, "window": 0})


def kept_score(
    task: Task, encode: Encode, evaluation: NDArray[np.float32], release: TextPrivatiser, seed: int
) -> float:
    """`score_of`, taken from the cache where the same texts have been released in the same way and scored before."""
    asked = {"release": release.parameters(), "seed": seed, "metric": task.metric, "train": _digest(task.train)}
    asked["scored on"] = hashlib.sha256(evaluation.tobytes() + task.evaluation.targets.tobytes()).hexdigest()
    return _kept(asked, lambda: score_of(task, encode, evaluation, release, seed))


def _kept(asked: dict[str, object], compute: Callable[[], float]) -> float:
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    path = results_of("trustnlp.studies.sense_privatization.tasks.private_tasks:score_of") / f"{digest[:24]}.json"
    if not path.exists():
        score = compute()
        with scratch_for(path) as part:
            part.write_text(json.dumps(score), encoding="utf-8")
        return score
    with reading(path):
        return float(json.loads(path.read_text(encoding="utf-8")))


def _digest(part: Part) -> str:
    texts = [[piece.text for piece in text] for side in part.sides for text in side]
    told = json.dumps([texts, part.places, part.targets.tolist()])
    return hashlib.sha256(told.encode()).hexdigest()
