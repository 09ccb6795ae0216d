"""Models as explanations see them: functions and transformers give what they give alone, and bad answers are named."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from refusals import assert_refused
from tiny_bert import word_tokenizer
from tiny_classifier import piece_tokenizer, tiny_bert_classifier, tiny_roberta_classifier

from trustnlp.attribution.text_models import FunctionModel, ModelError, TransformerModel, as_text_model

TEXTS = ["a good film", "unwatchable", "a very , very bad film .", "", "a good film", "bleak", "good"]


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    return tiny_bert_classifier(labels=3)


def alone(model: Any, tokenizer: Any, text: str) -> np.ndarray:
    """The probabilities of one text by the model itself."""
    with torch.no_grad():
        return model(**tokenizer(text, return_tensors="pt", return_token_type_ids=False)).logits[0].softmax(0).numpy()


# --- functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        [[0.25, 0.75], [1, 0]],
        np.array([[0.25, 0.75], [1, 0]], dtype=np.float32),
        torch.tensor([[0.25, 0.75], [1, 0]], requires_grad=True),
        [0.75, 0.0],
    ],
)
def test_what_a_function_gives_is_read_as_probabilities(given: Any) -> None:
    found = FunctionModel(lambda texts: given).probabilities(["a", "b"])
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[0.25, 0.75], [1, 0]])


def test_answers_that_are_no_probabilities_are_named() -> None:
    nan = float("nan")
    assert_refused(
        lambda given: FunctionModel(lambda texts: given).probabilities(["a", "b"]),
        [
            ([[0.5, nan], [0.5, 0.5]], r"gave \[0\.5, nan\] for text 0 of 2"),
            ([[0.5, 0.5]], r"2 texts need probabilities of shape \(2, classes\), the model gave \(1, 2\)"),
            ([[1.0], [1.0]], "one class only"),
            ([[0.3], [0.9]], r"give it as \(n,\)"),
            ([[0.5, 0.6], [0.5, 0.5]], r"sum to 1, the model gave \[0\.5, 0\.6\] for text 0.* apply a softmax"),
            ([1, 0], "labels, not probabilities"),
            ([[0.5, 0.5], [1.0]], "differ in length"),
            ([{"label": "A", "score": 0.9}] * 2, r"give the pair \(pipe.model, pipe.tokenizer\)"),
        ],
        ModelError,
    )
    rounded = FunctionModel(lambda texts: [[0.3333, 0.3333, 0.3333]]).probabilities(["a"])
    assert rounded.shape == (1, 3)


# --- transformers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [2, 64])
@pytest.mark.parametrize(
    "make", [tiny_bert_classifier, lambda: tiny_roberta_classifier(TEXTS)], ids=["bert", "roberta"]
)
def test_probabilities_are_those_of_each_text_alone(make: Any, batch_size: int) -> None:
    """RoBERTa counts positions from padding."""
    pair = make()
    found = TransformerModel(*pair, batch_size=batch_size).probabilities(TEXTS)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-12)
    for row, text in zip(found, TEXTS, strict=True):
        np.testing.assert_allclose(row, alone(*pair, text), atol=1e-5)
    assert np.ptp(found[:, 0]) > 0.05, "a model that answers all alike would pass whatever the order"


def test_dropout_is_off_whatever_state_the_model_is_in(pair: tuple[Any, Any]) -> None:
    model = TransformerModel(*pair)
    expected = model.probabilities(TEXTS)
    pair[0].train()
    np.testing.assert_array_equal(model.probabilities(TEXTS), expected)


def test_precision_is_declared(pair: tuple[Any, Any]) -> None:
    exact, rough = (TransformerModel(*pair, precision=p).probabilities(TEXTS) for p in ("float32", "bfloat16"))
    assert not np.array_equal(exact, rough)
    np.testing.assert_allclose(exact, rough, atol=0.05)


def test_long_texts_are_cut_and_a_warning_says_so_once(pair: tuple[Any, Any]) -> None:
    model = TransformerModel(*pair, max_length=5)
    exact, longer = "a good film", "a good film , very bad"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = model.probabilities([exact])
    with pytest.warns(UserWarning, match="1 of 2 texts have more than 5 tokens"):
        cut = model.probabilities([longer, exact])
    np.testing.assert_allclose(cut, np.repeat(whole, 2, axis=0), atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.probabilities([longer])
    assert TransformerModel(*pair).max_length == 64, "the limit of the tokenizer and of the positions"


def test_names_of_classes_are_those_of_the_configuration() -> None:
    named = tiny_bert_classifier(id2label={0: "negative", 1: "positive"})
    assert TransformerModel(*named).class_names == ("negative", "positive")
    assert TransformerModel(*tiny_bert_classifier()).class_names is None
    assert TransformerModel(named[0], word_tokenizer(["a"], mask=False), mask="[UNK]").mask == "[UNK]"


def test_transformers_that_cannot_be_read_are_refused(pair: tuple[Any, Any]) -> None:
    model, tokenizer = pair
    unpadded = piece_tokenizer()
    unpadded.pad_token = None
    assert_refused(
        lambda change: TransformerModel(**{"model": model, "tokenizer": tokenizer, **change}),
        [
            ({"tokenizer": word_tokenizer(["a"], mask=False)}, r"has no mask token: give one, .*mask='\.\.\.'"),
            ({"tokenizer": unpadded}, "set tokenizer.pad_token"),
            ({"model": tiny_bert_classifier(labels=1)[0]}, "one class only"),
            ({"model": tiny_bert_classifier(problem_type="multi_label_classification")[0]}, "several labels at once"),
            ({"precision": "float16"}, "precision is one of float32, bfloat16, got 'float16'"),
        ],
    )
    broken, _ = tiny_bert_classifier()
    broken.classifier.bias.data[0] = float("nan")
    assert_refused(TransformerModel(broken, tokenizer).probabilities, [(["a"], "nan"), ([], "no texts")], ModelError)
    encoder = TransformerModel(model.bert, tokenizer)
    assert_refused(encoder.probabilities, [(["a"], "BertModel gives no scores.*AutoModelForSequenceCl")], ModelError)
    with pytest.raises(TypeError, match=r"Linear is no transformer .* give its embedding"):
        TransformerModel(torch.nn.Linear(1, 1), tokenizer)
    bare = word_tokenizer(["a", "good"])
    bare._tokenizer.post_processor = None
    with pytest.raises(ModelError, match=r"no token for '': use removal='mask'"):
        TransformerModel(model, bare).probabilities(["a", ""])


# --- what is taken for a model ----------------------------------------------------------------------------------------


def test_models_are_recognised(pair: tuple[Any, Any]) -> None:
    model = TransformerModel(*pair)
    assert as_text_model(model) is model
    assert isinstance(as_text_model(pair), TransformerModel)
    assert isinstance(as_text_model(lambda texts: [[0.5, 0.5]]), FunctionModel)

    class Estimator:
        def predict_proba(self, texts: list[str]) -> Any:
            return [[0.5, 0.5]] * len(texts)

    assert_refused(
        as_text_model,
        [
            (pair[0], r"BertForSequenceClassification comes without its tokenizer: give the pair"),
            (Estimator(), "Estimator is an estimator: give its method `predict_proba`"),
            ((1, 2, 3), "got tuple"),
        ],
        TypeError,
    )
