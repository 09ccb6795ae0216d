"""How much each word of a text speaks for a label, by each method: what `attribution.attribute` computes.

What the methods compute stands in `perturbed_words`, for those that remove words, and in `gradient_attribution`, for
those that need a transformer.

Words are what blanks separate, and the model sees them joined by single blanks. Where a comma should be a word of its
own, put blanks around it first, as `trustnlp.data.annotation.english_tags` does.
"""

from __future__ import annotations

import difflib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.gradient_attribution import gradient_times_input, integrated_gradients
from trustnlp.attribution.model_calls import Words
from trustnlp.attribution.perturbed_words import (
    Removal,
    SubsetScores,
    kernel_shap,
    lime,
    lime_exact,
    occlusion,
    random_scores,
    reduced_texts,
    shapley,
    units_of,
    values_of,
)
from trustnlp.attribution.text_models import TextModel, TransformerModel, as_text_model, check_label
from trustnlp.attribution.word_scores import Attribution

_GRADIENTS = ("gradient_x_input", "integrated_gradients")
METHODS = ("occlusion", "shapley", "kernel_shap", "lime", "lime_exact", *_GRADIENTS, "random")
# Texts that a model is given in one call, unless the explanation of one text needs more.
_AT_ONCE = 4096

SubsetsOf = Callable[[int, np.random.Generator], SubsetScores]


@overload
def attributions_of(
    model: Any,
    texts: str,
    method: str = ...,
    *,
    label: int | str | None = ...,
    removal: Removal = ...,
    samples: int = ...,
    kernel_width: float = ...,
    steps: int = ...,
    generator: np.random.Generator | int = ...,
    class_names: Sequence[str] | None = ...,
) -> Attribution: ...


@overload
def attributions_of(
    model: Any,
    texts: list[str] | tuple[str, ...],
    method: str = ...,
    *,
    label: int | str | None = ...,
    removal: Removal = ...,
    samples: int = ...,
    kernel_width: float = ...,
    steps: int = ...,
    generator: np.random.Generator | int = ...,
    class_names: Sequence[str] | None = ...,
) -> list[Attribution]: ...


def attributions_of(
    model: Any,
    texts: str | list[str] | tuple[str, ...],
    method: str = "occlusion",
    *,
    label: int | str | None = None,
    removal: Removal = "leave_out",
    samples: int = 5000,
    kernel_width: float = 25.0,
    steps: int = 50,
    generator: np.random.Generator | int = 0,
    class_names: Sequence[str] | None = None,
) -> Attribution | list[Attribution]:
    """Score the words of a text, or of several texts.

    Parameters
    ----------
    model
        A function of a list of texts, the empty text among them, to class probabilities `(n, c)`; a pair (model,
        tokenizer) of Hugging Face; or an object with `probabilities` and `mask` (`trustnlp.attribution.text_models`).
        Gradients need a pair, a `TransformerModel`, or an object that has one as `transformer`.
    texts
        One text, or several: the same scores, computed faster.
    method
        `occlusion`; `shapley` and `lime_exact`, both exact, up to 12 different words; `kernel_shap` and `lime`, both
        sampled; `gradient_x_input`; `integrated_gradients`; or `random`, uniform in [-1, 1], to compare with.
    label
        Number or name of the label to explain; by default each text's most likely one.
    removal
        `leave_out`: all occurrences of a word go, and nothing stands in their place. `mask`: the model's mask stands in
        the place of a single word. For methods that remove words.
    samples
        Subsets of words that `lime` and `kernel_shap` draw of each text, LIME's whole text included.
    kernel_width
        Of `lime` and `lime_exact`, in hundredths of a cosine distance.
    steps
        Points of `integrated_gradients`.
    generator
        Of what is drawn. A seed gives a text the same scores in every call, whichever texts are asked with it.
    class_names
        Names of the labels in their order; by default those of the model, if it has any.

    Returns
    -------
    `Attribution` for one text, a list of them for several.

    Raises
    ------
    ValueError
        If given an unknown method, removal or label, an empty text, too many words for an exact method, too few samples
        or steps; and as `ModelError`, a model that gives no probabilities of two classes or more.
    TypeError
        If given a model or text of another type, or gradients of a function; of `attribute`, any argument of another
        type.

    Examples
    --------
    >>> from trustnlp.attribution.attribution import attribute
    >>> def classifier(texts):
    ...     return [[0.9, 0.1] if "bleak" in text else [0.2, 0.8] for text in texts]
    >>> print(attribute(classifier, "unflinchingly bleak and desperate", class_names=["negative", "positive"]))
    negative: probability 0.900
    occlusion; removed words are left out; 5 passes
    unflinchingly       0
    bleak          +0.700  ++++++++++++++++++++
    and                 0
    desperate           0
    """
    if method not in METHODS:
        near = difflib.get_close_matches(str(method), METHODS, n=1, cutoff=0.0)
        raise ValueError(f"no method is called {method!r}; did you mean {near[0]!r}? There are {', '.join(METHODS)}")
    if samples < 2 or not kernel_width > 0:
        raise ValueError(f"it takes two samples and a positive kernel width, got {samples} and {kernel_width}")
    text_model = as_text_model(model)
    names = tuple(class_names or getattr(text_model, "class_names", None) or ())
    number, all_words = _label_number(label, names), _all_words(texts)
    if method in _GRADIENTS:
        found = _by_gradients(text_model, all_words, method, number, steps, names)
    else:
        ways: dict[str, SubsetsOf] = {
            "occlusion": lambda n, rng: occlusion(n),
            "shapley": lambda n, rng: shapley(n),
            "kernel_shap": lambda n, rng: kernel_shap(n, samples, rng),
            "lime": lambda n, rng: lime(n, samples, rng, kernel_width),
            "lime_exact": lambda n, rng: lime_exact(n, samples, kernel_width),
            "random": random_scores,
        }
        seed = int(generator.integers(1 << 62)) if isinstance(generator, np.random.Generator) else generator
        found = []
        for chunk in _chunks(all_words, ways[method], removal, seed):
            found += _by_subsets(text_model, chunk, method, number, removal, names)
    return found[0] if isinstance(texts, str) else found


_Perturbed = tuple[Words, NDArray[np.int64], SubsetScores]


def _chunks(texts: Sequence[Words], subsets_of: SubsetsOf, removal: Removal, seed: int) -> Iterator[list[_Perturbed]]:
    """Texts with their units and subsets, as many as a model is asked about in one call."""
    chunk: list[_Perturbed] = []
    passes = 0
    for words in texts:
        units = units_of(words, removal)
        rng = np.random.default_rng([seed, zlib.crc32(" ".join(words).encode())])
        subsets = subsets_of(int(units.max()) + 1, rng)
        if chunk and passes + len(subsets.kept) > _AT_ONCE:
            yield chunk
            chunk, passes = [], 0
        chunk.append((words, units, subsets))
        passes += len(subsets.kept)
    yield chunk


def _by_subsets(
    model: TextModel,
    chunk: Sequence[_Perturbed],
    method: str,
    label: int | None,
    removal: Removal,
    names: Sequence[str],
) -> list[Attribution]:
    mask = model.mask if removal == "mask" else None
    asked = [reduced_texts(words, units, subsets.kept, mask) for words, units, subsets in chunk]
    attributions = []
    for (words, units, subsets), answers in zip(chunk, values_of(model, asked), strict=True):
        if label is not None:
            check_label(label, answers.shape[1])
        number = int(answers[0].argmax()) if label is None else label
        values = answers[:, number]
        attributions.append(
            Attribution(
                words=words,
                scores=subsets.scores(values)[units],
                units=units,
                label=number,
                label_name=_name(number, answers.shape[1], names),
                method=method,
                quantity="probability",
                value=float(values[0]),
                baseline=subsets.at_empty(values),
                removed=f"{mask} stands for a removed word" if mask else "removed words are left out",
                passes=len(values),
                fit=subsets.fit(values),
            )
        )
    return attributions


def _by_gradients(
    model: TextModel, texts: Sequence[Words], method: str, label: int | None, steps: int, names: Sequence[str]
) -> list[Attribution]:
    transformer = model if isinstance(model, TransformerModel) else getattr(model, "transformer", None)
    if not isinstance(transformer, TransformerModel):
        raise TypeError(
            f"{method} needs gradients: give a pair (model, tokenizer) or a TransformerModel, or take a method that "
            "removes words, such as 'shapley'"
        )
    if method == "gradient_x_input":
        results, removed = gradient_times_input(transformer, texts, label), "no word is removed"
    else:
        results = integrated_gradients(transformer, texts, label, steps=steps)
        removed = f"{transformer.tokenizer.pad_token} stands for a removed word"
    return [
        Attribution(
            words=words,
            scores=result.scores,
            units=np.arange(len(words)),
            label=result.label,
            label_name=_name(result.label, result.classes, names),
            method=method,
            quantity="score",
            value=result.value,
            baseline=result.baseline,
            removed=removed,
            passes=result.passes,
        )
        for words, result in zip(texts, results, strict=True)
    ]


def _all_words(texts: str | list[str] | tuple[str, ...]) -> list[Words]:
    many = [texts] if isinstance(texts, str) else list(texts)
    if not many:
        raise ValueError("no text to explain")
    for number, text in enumerate(many):
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, text {number} is of type {type(text).__name__}")
    # ASCII alone: typographic blanks, as in numbers, stay within words.
    words = [tuple(re.findall(r"\S+", text, re.ASCII)) for text in many]
    if () in words:
        raise ValueError(f"text {words.index(())} of {len(words)} is empty: there is no word to score")
    return words


def _label_number(label: int | str | None, names: Sequence[str]) -> int | None:
    if not isinstance(label, str):
        return label
    if label not in names:
        known = f"the classes are {', '.join(names)}" if names else "give class_names, or the label's number"
        raise ValueError(f"no class is called {label!r}: {known}")
    return names.index(label)


def _name(label: int, classes: int, names: Sequence[str]) -> str:
    if names and len(names) != classes:
        raise ValueError(f"the model has {classes} classes, class_names has {len(names)}: {', '.join(names)}")
    return names[label] if names else f"label {label}"
