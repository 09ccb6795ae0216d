"""A random BERT of a few thousand weights that knows the words a test gives it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.loop import seeded

CPU = torch.device("cpu")


def word_tokenizer(words: Sequence[str], *, mask: bool = True) -> PreTrainedTokenizerFast:
    """One token for each word, cut at blanks; without `mask` it has no mask token."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(["[MASK]"] if mask else [])]
    vocabulary = {token: at for at, token in enumerate([*special, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names, **({"mask_token": "[MASK]"} if mask else {}))


def tiny_encoder(
    words: Sequence[str], *, layers: int = 1, width: int = 16, seed: int = 0, name: str = "tiny BERT", mask: bool = True
) -> Encoder:
    """An encoder with random weights."""
    tokenizer = word_tokenizer(words, mask=mask)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=160,
        initializer_range=0.3,
    )
    with seeded(seed, CPU):
        model = BertModel(config).eval()
    return Encoder(name, model, tokenizer, CPU, f"random {seed}")
