"""A trained relation extractor: relations and rules of new examples, and its file.

Tang and Surdeanu (2021). The file is safetensors, whose header holds the settings and the vocabulary as JSON: reading
it runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.encoders.devices import find_device
from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_inputs import Numbers, RelationInputs
from trustnlp.relations.relation_network import RelationNetwork
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.relation_vocabulary import RelationVocabulary, Rule
from trustnlp.relations.rule_decoder import RuleDecoder
from trustnlp.relations.rule_search import beam_rules, greedy_rules, score_rules
from trustnlp.training.batches import by_length
from trustnlp.training.loop import Precision, Schedule
from trustnlp.training.whole_files import fingerprint, reading, scratch_for

_FORMAT = "relation extractor 1"


@dataclass(frozen=True)
class ExtractorRecipe:
    """How an extractor is trained; defaults are the paper's (Appendix A), or else those of the released code.

    Attributes
    ----------
    sizes
        Of the network.
    distance
        How far from the path between the entities the pruned tree reaches, None for the whole tree.
    tune_words
        Whether the words' vectors are trained.
    word_dropout, pooling_penalty, clip
        Share of words that a step does not know, weight of the squared pooled vector, longest gradient: .04, .003 and 5
        in the released code's README and defaults, not in the paper. Deviation: there the gradients of classifier and
        decoder are cut one by one, here they are cut together.
    learning_rate, decay
        Adagrad's rate, and its factor after each epoch in which F1 on dev does not rise.
    first_sum
        What Adagrad's sums of squared gradients begin with: .1 in the code that the release builds on
        (yuhaozhang/tacred-relation, `utils/torch_utils.py`, commit 834ee87b). The paper is silent; at 0, torch's
        default, its rate of .3 moves every weight by .3 in the first step and kills the ReLUs.
    longest_rule
        Tokens after which decoding stops, `END` included.

    Raises
    ------
    ValueError
        If given a rate, share or weight that makes no sense.
    """

    sizes: RelationSizes = field(default_factory=RelationSizes)
    distance: int | None = 1
    tune_words: bool = True
    word_dropout: float = 0.04
    pooling_penalty: float = 0.003
    learning_rate: float = 0.3
    decay: float = 0.9
    first_sum: float = 0.1
    epochs: int = 100
    batch_size: int = 50
    clip: float = 5.0
    longest_rule: int = 100
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        if not self.learning_rate > 0 or not 0 < self.decay <= 1 or not self.first_sum >= 0:
            raise ValueError(
                "the learning rate is positive, its decay lies in (0, 1] and the first sum is not negative, got "
                f"{self.learning_rate}, {self.decay} and {self.first_sum}"
            )
        if not 0 <= self.word_dropout < 1 or not self.pooling_penalty >= 0:
            raise ValueError(
                f"the word dropout lies in [0, 1) and the pooling penalty is not negative, got {self.word_dropout}, "
                f"{self.pooling_penalty}"
            )
        if self.longest_rule < 1:
            raise ValueError(f"a rule may have at least one token, got longest_rule={self.longest_rule}")
        _ = self.schedule  # which refuses what makes no sense

    @property
    def schedule(self) -> Schedule:
        """The part of this that the training loop reads."""
        return Schedule(self.epochs, self.batch_size, clip=self.clip, precision=self.precision)


class TrainedExtractor:
    """A trained network with its vocabulary. In the form `released` rules depend on the batches: see `decode`.

    Attributes
    ----------
    dev_losses
        After each epoch of the training: 1 - F1, or the decoder's loss where there is no classifier.
    """

    def __init__(
        self,
        network: RelationNetwork,
        vocabulary: RelationVocabulary,
        recipe: ExtractorRecipe,
        dev_losses: tuple[float, ...],
        device: torch.device,
    ) -> None:
        self.vocabulary, self.recipe, self.dev_losses = vocabulary, recipe, dev_losses
        self._network, self._device = network.eval(), device

    @torch.no_grad()
    def predict(self, examples: Sequence[RelationExample]) -> tuple[list[str], NDArray[np.float64]]:
        """The likeliest relation of each example, and the probabilities `(n, R)` of `vocabulary.relations`.

        Raises
        ------
        ValueError
            If there is no example, one without tags, entity types or heads, or an extractor without a classifier.
        """
        probabilities = np.empty((len(examples), len(self.vocabulary.relations)))
        for rows, encoded in self._batches(examples):
            probabilities[rows] = self._network.scores(encoded).double().softmax(1).cpu().numpy()
        return [self.vocabulary.relations[number] for number in probabilities.argmax(1)], probabilities

    def decode(self, examples: Sequence[RelationExample]) -> list[Rule]:
        """The greedy rule of each example; `<UNK>` in it is a token that training did not know.

        In the form `released` an example's rule depends on its batch: examples are sorted by length and cut into
        batches of the recipe's size.

        Raises
        ------
        ValueError
            If `predict` would raise it, or an extractor without a decoder.
        """
        decoder = self._decoder()
        rules: dict[int, Rule] = {}
        for rows, encoded in self._batches(examples):
            numbers = greedy_rules(decoder, encoded, self.recipe.longest_rule).tolist()
            rules.update(zip(rows.tolist(), map(self.vocabulary.decode_rule, numbers), strict=True))
        return [rules[row] for row in range(len(examples))]

    def beam(self, examples: Sequence[RelationExample], width: int, n_best: int) -> list[list[tuple[Rule, float]]]:
        """The likeliest `n_best` rules of each example that a beam finds, each with log p; the likeliest first.

        Raises
        ------
        ValueError
            If `decode` would raise it, more rules than the beam is wide, or the form `released`.
        """
        if not 1 <= n_best <= width:
            raise ValueError(f"a beam of width {width} gives 1 to {width} rules, {n_best} were asked for")
        decoder = self._decoder()
        ranked: dict[int, list[tuple[Rule, float]]] = {}
        for rows, encoded in self._batches(examples):
            beams = beam_rules(decoder, encoded, width, self.recipe.longest_rule)
            for row, rules, scores in zip(rows.tolist(), beams.tokens.tolist(), beams.scores.tolist(), strict=True):
                pairs = zip(map(self.vocabulary.decode_rule, rules), scores, strict=True)
                ranked[row] = [(rule, score) for rule, score in pairs if np.isfinite(score)][:n_best]
        return [ranked[row] for row in range(len(examples))]

    def score_rules(
        self, examples: Sequence[RelationExample], candidates: Sequence[Sequence[Rule]]
    ) -> list[NDArray[np.float64]]:
        """log p(rule | example) of each candidate of each example, exactly.

        A token that training did not know is scored as `<UNK>`.

        Raises
        ------
        ValueError
            If `decode` would raise it, not one list of rules for each example, an empty list, or the form `released`.
        """
        if len(candidates) != len(examples):
            raise ValueError(f"{len(examples)} examples need as many lists of rules, got {len(candidates)}")
        numbers = [[self.vocabulary.encode_rule(rule) for rule in rules] for rules in candidates]
        decoder = self._decoder()
        scored: dict[int, NDArray[np.float64]] = {}
        for rows, encoded in self._batches(examples):
            scores = score_rules(decoder, encoded, [numbers[row] for row in rows])
            scored.update(zip(rows.tolist(), scores, strict=True))
        return [scored[row] for row in range(len(examples))]

    def save(self, path: Path) -> None:
        """Write the extractor to one file, whole or not at all."""
        weights = {name: value.detach().cpu().contiguous() for name, value in self._network.state_dict().items()}
        header = {
            "format": _FORMAT,
            "recipe": json.dumps(asdict(self.recipe)),
            "vocabulary": json.dumps(asdict(self.vocabulary)),
            "dev_losses": json.dumps(self.dev_losses),
            "fingerprint": fingerprint(*(weights[name].numpy() for name in sorted(weights))),
        }
        with scratch_for(path) as part:
            save_file(weights, part, metadata=header)

    def _batches(self, examples: Sequence[RelationExample]) -> Iterator[tuple[Numbers, Encoded]]:
        inputs = RelationInputs.of(examples, self.vocabulary, distance=self.recipe.distance)
        yield from encoded_batches(self._network, inputs, self.recipe, self._device)

    def _decoder(self) -> RuleDecoder:
        if self._network.decoder is None:
            raise ValueError("this extractor was trained without a decoder: it writes no rules")
        return self._network.decoder


@torch.no_grad()
def encoded_batches(
    network: RelationNetwork, inputs: RelationInputs, recipe: ExtractorRecipe, device: torch.device
) -> Iterator[tuple[Numbers, Encoded]]:
    """Rows of the inputs and what the encoder says of them, in batches of like length, without dropout."""
    network.eval()
    for rows in by_length(inputs.lengths, recipe.batch_size):
        with recipe.schedule.autocast(device):
            encoded = network(inputs.batch(rows, device))
        yield rows, encoded


def load_extractor(path: Path, device: str = "cpu") -> TrainedExtractor:
    """Read what `TrainedExtractor.save` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, or no extractor.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist: train an extractor and save it there")
    place = find_device(device)
    with reading(path):
        try:
            with safe_open(path, framework="pt") as file:
                header: dict[str, Any] = file.metadata() or {}
                weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        except SafetensorError as error:
            raise ValueError(str(error)) from None
        if header.get("format") != _FORMAT:
            raise ValueError(f"its format is {header.get('format')!r}, expected {_FORMAT!r}")
        if header["fingerprint"] != fingerprint(*(weights[name].numpy() for name in sorted(weights))):
            raise ValueError("its weights are not those that were written")
        vocabulary = RelationVocabulary(**{name: tuple(of) for name, of in json.loads(header["vocabulary"]).items()})
        settings = json.loads(header["recipe"])
        recipe = ExtractorRecipe(**{**settings, "sizes": RelationSizes(**settings["sizes"])})
        borrowed = len(weights.get("encoder.words.window", ()))
        network = RelationNetwork(vocabulary, torch.zeros_like(weights["encoder.words.rows"]), borrowed, recipe.sizes)
        network.load_state_dict(weights)
        losses = tuple(json.loads(header["dev_losses"]))
    return TrainedExtractor(network.to(place), vocabulary, recipe, losses, place)
