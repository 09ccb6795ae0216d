"""Transformers that classify, of a few thousand random weights, with tokenizers that cut words into pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from trustnlp.training.loop import seeded

PIECES = ("a", "film", "very", "good", "bad", "slow", "un", "##watch", "##able", "bleak", ",", ".", "<", "&", "b", ">")
_SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}


def piece_tokenizer(pieces: Sequence[str] = PIECES, *, longest: int = 64) -> PreTrainedTokenizerFast:
    """WordPiece: `unwatchable` is three pieces. The padding token is not number 0."""
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]"]
    tokenizer = Tokenizer(
        models.WordPiece({token: at for at, token in enumerate([*special, *pieces])}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "mask", "pad")}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=longest, **names)


def byte_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Pairs of bytes, as RoBERTa has them: a blank belongs to the piece after it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=290, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>", "cls": "<s>", "sep": "</s>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **{f"{name}_token": text for name, text in names.items()}
    )


def tiny_bert_classifier(
    *, labels: int = 2, seed: int = 0, **more: Any
) -> tuple[BertForSequenceClassification, PreTrainedTokenizerFast]:
    """A BERT that has read nothing; its answers differ widely between texts."""
    tokenizer = piece_tokenizer()
    config = BertConfig(
        vocab_size=len(tokenizer), num_labels=labels, pad_token_id=tokenizer.pad_token_id, initializer_range=0.4,
        max_position_embeddings=64, **_SHAPE, **more,
    )  # fmt: skip
    with seeded(seed, torch.device("cpu")):
        return BertForSequenceClassification(config).eval(), tokenizer


def tiny_roberta_classifier(texts: Sequence[str]) -> tuple[RobertaForSequenceClassification, PreTrainedTokenizerFast]:
    """A RoBERTa: positions are counted from the ids, and padding counts for none."""
    tokenizer = byte_tokenizer(texts)
    config = RobertaConfig(
        vocab_size=len(tokenizer), pad_token_id=1, initializer_range=0.4, max_position_embeddings=80, **_SHAPE
    )
    with seeded(0, torch.device("cpu")):
        return RobertaForSequenceClassification(config).eval(), tokenizer
