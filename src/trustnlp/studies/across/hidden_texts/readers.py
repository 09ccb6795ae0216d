"""The one adversary and the one receiver: whoever has hidden texts with the answers to some of them.

Both have the same tools, since a tool that the attacker has and the receiver lacks would look like privacy. They learn
from hidden texts, choose among their tools on other hidden texts, and are scored on a third part, whose answers they
never see. Right answers are counted as the mean over classes, so that guessing gives one over the number of classes
whatever the part.

For texts: a regression on words (`words`), on the mean of word vectors (`mean`), on the states of a frozen encoder
(`encoder`), and, where asked for, the encoder fine-tuned (`tuned`). For vectors: a regression on the vector, and on its
differences from its smallest coordinate, which undoes a noise that all coordinates share.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import sentence_vectors
from trustnlp.encoders.pooling import mean
from trustnlp.encoders.pretrained import Encoder
from trustnlp.evaluation.logistic_path import fit_path, predict
from trustnlp.privacy.attacks.attribute_inference import subtract_minimum
from trustnlp.training.batches import tokenise
from trustnlp.training.encoded_texts import encode
from trustnlp.training.fine_tuning import FineTuning, TuningRecipe
from trustnlp.training.private_classifier import Defence

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Parts = Mapping[str, Ints]
# A tool: answers for the part `dev`, and for `test`.
Answers = tuple[Ints, Ints]
Tool = Callable[[Ints, Parts], list[Answers]]
TOOLS = ("words", "mean", "encoder")
_STRENGTHS = (1.0, 10.0, 100.0)
_PENALTIES = (1e3, 1e2, 1e1, 1.0)
_TOLERANCE = 1e-4


class Encodings:
    """States of a frozen encoder for texts, mean over the tokens; a text that was seen before is not encoded again.

    Parameters
    ----------
    precision
        What the encoder computes in: `float32`, or `bfloat16`, which some processors do four times as fast.
    """

    def __init__(self, encoder: Encoder, precision: str, max_length: int = 128) -> None:
        self.encoder, self.max_length = encoder, max_length
        self._model = copy.deepcopy(encoder.model).to(getattr(torch, precision))
        self._known: dict[str, Floats] = {}

    def __call__(self, texts: Sequence[str]) -> Floats:
        """`(n, d)`."""
        if new := sorted({*texts} - self._known.keys()):
            states = encode(
                lambda ids, attended, rows: mean(
                    (self._model(ids, attention_mask=attended).last_hidden_state.float(),), attended
                ),
                # A text that is cut is cut in silence: a warning would show it.
                tokenise(self.encoder.tokenizer, new, self.max_length),
                self._model.config.hidden_size,
                device=self.encoder.device,
                precision="float32",  # of what is not the model's own
                of="texts",
            )
            self._known |= dict(zip(new, states.cpu().numpy(), strict=True))
        return np.stack([self._known[text] for text in texts])


class Score(NamedTuple):
    """Right answers above guessing on `test`, in points, and which tool gave them."""

    above: float
    tool: str


def best(tools: Mapping[str, Tool], answers: Ints, parts: Parts) -> Score:
    """The tool that is right most often on `dev`, scored on `test`.

    Parameters
    ----------
    answers
        `(n,)` the label or the secret of each text; tools never see those of `test`.
    """
    shown = answers.copy()
    shown[parts["test"]] = -1
    classes = int(answers.max()) + 1
    tried = [(name, *both) for name, tool in tools.items() for both in tool(shown, parts)]
    name, _, said = max(tried, key=lambda one: balanced(answers[parts["dev"]], one[1], classes))
    return Score(100 * (balanced(answers[parts["test"]], said, classes) - 1 / classes), name)


def balanced(truth: Ints, said: Ints, classes: int) -> float:
    """Mean over the classes of the share of their texts that are named rightly."""
    return float(np.mean([np.mean(said[truth == each] == each) for each in range(classes) if (truth == each).any()]))


def text_tools(
    texts: Sequence[str], names: Sequence[str], vectors: WordVectors, encodings: Callable[[Sequence[str]], Floats]
) -> dict[str, Tool]:
    """Tools by name, as above."""
    tools: dict[str, Tool] = {}
    for name in names:
        if name == "words":
            tools[name] = partial(_by_words, texts)
        elif name == "mean":
            tools[name] = _regression(sentence_vectors(texts, vectors)[0])
        elif name == "encoder":
            tools[name] = _regression(encodings(texts))
        else:
            assert isinstance(encodings, Encodings)
            tools[name] = partial(_by_tuning, encodings.encoder, texts)
    return tools


def vector_tools(vectors: Floats) -> dict[str, Tool]:
    """Tools for released vectors `(n, d)`."""
    relative = subtract_minimum(torch.from_numpy(vectors)).numpy()
    return {"vector": _regression(vectors), "relative": _regression(relative)}


def _regression(vectors: Floats) -> Tool:
    """Logistic regression on standardised vectors `(n, d)`, one for each strength of the ridge."""

    def tool(answers: Ints, parts: Parts) -> list[Answers]:
        own = vectors[parts["train"]].astype(np.float64)
        middle, spread = own.mean(axis=0), own.std(axis=0)
        scaled = ((vectors - middle) / np.where(spread > 1e-9, spread, 1)).astype(np.float32)
        train, dev, test = (scaled[parts[part]] for part in ("train", "dev", "test"))
        every = np.ones((len(train), 1), dtype=bool)
        path = fit_path(train, answers[parts["train"]], every, _PENALTIES, _TOLERANCE)
        return [(predict(dev, weights)[:, 0], predict(test, weights)[:, 0]) for weights in path]

    return tool


def _by_words(texts: Sequence[str], answers: Ints, parts: Parts) -> list[Answers]:
    """Logistic regression on tf-idf of words and marks, and on whether each is there at all."""
    train, dev, test = ([texts[row] for row in parts[part]] for part in ("train", "dev", "test"))
    counts = TfidfVectorizer(token_pattern=r"\S+", sublinear_tf=True)
    try:
        seen = counts.fit_transform(train)
    except ValueError:  # not one word is left
        seen, others = sparse.csr_matrix((len(train), 1)), [sparse.csr_matrix((len(some), 1)) for some in (dev, test)]
    else:
        others = [counts.transform(some) for some in (dev, test)]
    found = []
    for strength in _STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3).fit(seen, answers[parts["train"]])
        found.append((model.predict(others[0]), model.predict(others[1])))
    return found


def _by_tuning(encoder: Encoder, texts: Sequence[str], answers: Ints, parts: Parts) -> list[Answers]:
    """The encoder with all its layers trained on the hidden texts of `train`."""
    splits = {}
    for part, rows in parts.items():
        known = answers[rows] if part != "test" else np.zeros(len(rows), dtype=np.int64)
        none = np.zeros((len(rows), 1), dtype=np.int64)
        splits[part] = AttributeTexts(tuple(texts[row] or "." for row in rows), known, none)
    classes = tuple(str(each) for each in range(int(answers.max()) + 1))
    data = AttributeSet("hidden", classes, ("none",), splits["train"], splits["dev"], splits["test"])
    tuned = FineTuning(encoder, data, TuningRecipe(epochs=4), None).trained(Defence(), 0)
    said = [tuned.predict(tuned.representations[part]).cpu().numpy() for part in ("dev", "test")]
    return [(said[0], said[1])]
