"""Explainers by name: the methods of `attribution`, and those that other packages bring.

A package brings one by an entry point in its `pyproject.toml`, and is found once it is installed:

    [project.entry-points."trustnlp.explainers"]
    masked_words = "example_explainer:masked_words"

The entry point names a function `(model, texts, *, label=None, rng)`. Its model is a `TextModel`, whatever was given
(`probabilities(texts)` and `mask`; a pair of Hugging Face comes as `TransformerModel`, which gives gradients too). For
each text it returns one score a word, or an `Attribution`. Words are what ASCII blanks separate.

`explain` checks what comes back, of whichever explainer, since a wrong explanation looks like a right one. A package
that cannot be imported fails when its explainer is asked for, and no other explainer fails with it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.attribution.model_calls import Floats, Words, check_words
from trustnlp.attribution.text_models import TextModel, as_text_model, check_label
from trustnlp.attribution.word_attributions import METHODS, attributions_of
from trustnlp.attribution.word_scores import Attribution

GROUP = "trustnlp.explainers"


class ExplainerError(ValueError):
    """An explainer cannot be used, or gave something else than one finite score for each word of each text."""


class Explainer(Protocol):
    """Scores the words of texts for a label, by default for each text's most likely one."""

    def __call__(
        self, model: TextModel, texts: Sequence[str], /, *, label: int | None = None, rng: np.random.Generator
    ) -> Sequence[Attribution | ArrayLike]: ...


@dataclass(frozen=True)
class _Method:
    """A method of `attribution`, with its defaults."""

    name: str
    provider = "trustnlp"

    def __call__(
        self, model: TextModel, texts: Sequence[str], /, *, label: int | None = None, rng: np.random.Generator
    ) -> list[Attribution]:
        return attributions_of(model, list(texts), self.name, label=label, generator=rng)


@dataclass(frozen=True)
class _Plugin:
    """The explainer that an entry point names, imported when it is called."""

    entry: EntryPoint

    @property
    def provider(self) -> str:
        return f"{self.entry.dist.name} {self.entry.dist.version}" if self.entry.dist else "an unknown distribution"

    def __str__(self) -> str:
        return f"{self.entry.name!r} of {self.provider} (entry point {self.entry.value})"

    def __call__(
        self, model: TextModel, texts: Sequence[str], /, *, label: int | None = None, rng: np.random.Generator
    ) -> Sequence[Attribution | ArrayLike]:
        return self.loaded()(model, texts, label=label, rng=rng)

    def loaded(self) -> Explainer:
        try:
            function: Explainer = self.entry.load()
        except Exception as error:  # an import may run anything
            raise ExplainerError(
                f"explainer {self} cannot be imported, {type(error).__name__}: {error}. Repair or uninstall it"
            ) from error
        if not callable(function):
            raise ExplainerError(f"explainer {self} is no function but of type {type(function).__name__}")
        return function


def explainers() -> dict[str, Explainer]:
    """All explainers by name, the built-in ones first. No package is imported before its explainer is called.

    Raises
    ------
    ExplainerError
        If a package's explainer has the name of a built-in one, or of another package's.

    Examples
    --------
    >>> list(explainers())[:3]
    ['occlusion', 'shapley', 'kernel_shap']
    """
    return dict(_known())


def explainer(name: str) -> Explainer:
    """The explainer of that name; a package's is imported.

    Raises
    ------
    ValueError
        If no explainer has the name: the nearest is suggested, and all are listed.
    ExplainerError
        If `explainers` would raise it, or its package cannot be imported: which, by which entry point, and why.
    """
    known = _known_as(name)
    return known.loaded() if isinstance(known, _Plugin) else known


def provider(name: str) -> str:
    """Who provides an explainer: `trustnlp`, or a distribution and its version. It is part of what decides a result.

    Raises
    ------
    ValueError, ExplainerError
        If `explainer` would raise it; the package is not imported.

    Examples
    --------
    >>> provider("occlusion")
    'trustnlp'
    """
    return _known_as(name).provider


def explain(
    which: str | Explainer, model: Any, texts: Sequence[str], *, label: int | None = None, rng: np.random.Generator
) -> list[Attribution]:
    """Scores of the words of texts by any explainer, checked.

    Plain scores are made into an `Attribution`. Its `value` is the label's probability; its `passes` is the one that
    this took, since what the explainer asked of the model is not seen from here.

    Parameters
    ----------
    which
        Name of an explainer, or a function that is one, such as a built-in method with other settings.
    model
        As `trustnlp.attribution.text_models.as_text_model` takes it.
    texts
        At least one, each of at least one word.
    label
        Number of the label to explain; by default each text's most likely one.
    rng
        Of what the explainer draws.

    Raises
    ------
    ExplainerError
        If `explainer` would raise it; or the explainer gave another number of texts than it got, or for a text another
        number of scores than it has words, a score that is no finite number, an explanation of other words or of
        another label.
    ValueError
        If given an unknown explainer, no text, a text without words, or a label that the model does not have.
    TypeError
        If given a model of another kind.
    Exception
        If the explainer itself raises it: it comes through as it is.

    Examples
    --------
    >>> def classifier(texts):
    ...     return [[0.9, 0.1] if "bleak" in text else [0.2, 0.8] for text in texts]
    >>> def first_word(model, texts, *, label=None, rng):
    ...     return [[1.0] + [0.0] * text.count(" ") for text in texts]
    >>> [found] = explain(first_word, classifier, ["bleak and desperate"], rng=np.random.default_rng(0))
    >>> found.ranked()[0], found.value
    (('bleak', 1.0), 0.9)
    """
    name = which if isinstance(which, str) else getattr(which, "__name__", repr(which))
    call = explainer(which) if isinstance(which, str) else which
    if isinstance(texts, str) or not len(texts):
        raise ValueError(f"expected a list of at least one text, got {texts!r}")
    all_words = [tuple(re.findall(r"\S+", text, re.ASCII)) for text in texts]
    for number, words in enumerate(all_words):
        check_words(words, number)
    text_model = as_text_model(model)
    answer = call(text_model, list(texts), label=label, rng=rng)
    if not isinstance(answer, Iterable):
        raise ExplainerError(f"explainer {name!r} gave {_short(answer)}; expected a list, of scores of each text")
    explained: list[Any] = list(answer)
    if len(explained) != len(texts):
        raise ExplainerError(f"explainer {name!r} was given {len(texts)} texts and gave scores of {len(explained)}")
    scores = [
        _checked(own, words, label, f"explainer {name!r}, text {number} of {len(texts)}:")
        for number, (own, words) in enumerate(zip(explained, all_words, strict=True))
    ]
    if all(isinstance(own, Attribution) for own in explained):
        return explained
    answers = text_model.probabilities(list(texts))
    if label is not None:
        check_label(label, answers.shape[1])
    class_names = getattr(text_model, "class_names", None)
    rows = zip(explained, all_words, scores, answers, strict=True)
    return [
        own if isinstance(own, Attribution) else _attribution(name, words, values, row, label, class_names)
        for own, words, values, row in rows
    ]


def _known() -> dict[str, _Method | _Plugin]:
    known: dict[str, _Method | _Plugin] = {name: _Method(name) for name in METHODS}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        plugin = _Plugin(entry)
        if entry.name in known:
            raise ExplainerError(
                f"explainer {plugin} has a name that {known[entry.name].provider} has taken: uninstall it, or give its "
                "entry point another name"
            )
        known[entry.name] = plugin
    return known


def _known_as(name: str) -> _Method | _Plugin:
    known = _known()
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.0)[0]
        raise ValueError(f"no explainer is called {name!r}; did you mean {near!r}? There are {', '.join(known)}")
    return known[name]


def _checked(own: Any, words: Words, label: int | None, where: str) -> Floats:
    """The scores of one text `(n_words,)`, copied."""
    if isinstance(own, Attribution):
        if own.words != words:
            raise ExplainerError(f"{where} the explanation is of {_short(own.words)}, not of {_short(words)}")
        if label is not None and own.label != label:
            raise ExplainerError(f"{where} label {label} was asked for, and the explanation is of label {own.label}")
        own = own.scores
    try:
        scores = np.asarray(own, dtype=np.float64).copy()  # torch knows no copy keyword of numpy
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: of a tensor with gradients
        raise ExplainerError(f"{where} {_short(own)} are no numbers, one for each word ({error})") from error
    if scores.shape != (len(words),):
        raise ExplainerError(f"{where} scores of shape {scores.shape} for {len(words)} words; expected one a word")
    if not np.isfinite(scores).all():
        at = int((~np.isfinite(scores)).argmax())
        raise ExplainerError(f"{where} the score of word {at}, {words[at]!r}, is {scores[at]}; expected finite numbers")
    return scores


def _attribution(
    name: str, words: Words, scores: Floats, answer: Floats, label: int | None, class_names: Sequence[str] | None
) -> Attribution:
    """Plain scores as an explanation of the label, or of the likeliest one by the model's `answer` `(c,)`."""
    number = int(answer.argmax()) if label is None else label
    return Attribution(
        words=words,
        scores=scores,
        units=np.arange(len(words)),
        label=number,
        label_name=class_names[number] if class_names else f"label {number}",
        method=name,
        quantity="probability",
        value=float(answer[number]),
        baseline=None,
        removed="what is removed, and what that takes, is the explainer's own",
        passes=1,
    )


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]} …"
