"""Questions that Tables 1 and 3 of Tang and Surdeanu (2021) leave open on the network and the rules that it writes.

§4 says that the classifier beats its rules (1), and that in general the decoded rules explain the prediction (5). Asked
here: how precise is the network where it finds no more than the rules do; and are decoded rules true where no gold rule
matches, so that there is no BLEU. §3.2 says what the decoder starts from; the released code starts elsewhere
(`rule_decoder`).

All shares are in per cent, and differences in points, unless it is said.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.evaluation.extraction_scores import precision_at, precision_curve
from trustnlp.evaluation.reference_overlap import sentence_bleu
from trustnlp.relations.decoded_rules import matches
from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_sizes import Form, RelationSizes
from trustnlp.relations.rule_decoder import RuleDecoder
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin.baselines import swapped
from trustnlp.studies.edin.data import rule_predictions
from trustnlp.studies.edin.explanations import ExecutedRules, overlap, scored_items
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.tables import Numbers, extraction

# The ledger's limits: one half, a point that a cost may have, and half a percent of rules that may change.
_HALF, _POINT, _UNCHANGED = 50.0, 1.0, 0.5
_FORMS: dict[str, Form] = {"own": "paper", "released": "released"}


def foreign_share(batch: int, width: int) -> float:
    """The share, 0 to 1, of the released decoder's start state of layer 0 that comes from other examples of the batch.

    Each example's subject and object are filled with its number, and the released start is asked where they went.
    """
    owner = torch.arange(batch)[:, None].expand(batch, width).float()
    there = torch.ones(batch, 1, dtype=torch.bool)
    encoded = Encoded(owner[:, None], there, owner, owner, owner)
    start = RuleDecoder(5, RelationSizes(width, form="released")).start(encoded).hidden[0]
    return float((start != owner).double().mean())


def numbers_of_seed(ruled: RuledCorpus, seed: int, percents: Sequence[int]) -> Numbers:
    """Precision at given recalls and true rules of one seed's network, taught by rules only; on the test part.

    NaN where it cannot be computed. `percents` are the recalls at which the curve is read.
    """
    part = ruled.test
    network = ruled.trained("rule_only", "ours", seed)
    predicted, probabilities = network.predict(part.examples)
    rules = extraction(part, rule_predictions(part.fired))
    curve = precision_curve(part.gold, network.vocabulary.relations, probabilities)
    lead = precision_at(*curve, rules["recall"]) - rules["precision"]
    decoded = network.decode(part.examples)
    true = ExecutedRules(ruled.corpus, part.examples, decoded).true_of(decoded, predicted)
    pairs = zip(true, predicted, part.references, strict=True)
    rest = [explains for explains, label, right in pairs if label != NO_RELATION and not right]
    executed = 100 * float(np.mean(rest)) if rest else float("nan")
    return {
        **{f"curve.r{percent}.precision": precision_at(*curve, percent) for percent in percents},
        "precision_at_rules_recall.margin": lead + _POINT,
        "rest.executed": executed,
        "rest.executed_above_half": executed - _HALF,
    }


def released_numbers(ruled: RuledCorpus, seed: int) -> Numbers:
    """The form that was released against the paper's, on the test part; `start.gain.…` is what the paper's gains.

    `start.released.changed` is the share of every other example whose decoded rule changes when the examples between
    them are left out, so that batches have other members; `start.own.changed` is the same for the paper's form.
    """
    part = ruled.test
    numbers: Numbers = {}
    for name, form in _FORMS.items():
        network = ruled.trained("rule_only", "ours", seed, form=form)
        predicted, decoded = network.predict(part.examples)[0], network.decode(part.examples)
        pairs = zip(decoded[::2], network.decode(part.examples[::2]), strict=True)
        numbers[f"start.{name}.changed"] = 100 * float(np.mean([one != other for one, other in pairs]))
        scores = overlap(part.references, decoded, scored_items(part.references, predicted))
        numbers |= {f"start.{name}.{score}": value for score, value in scores.items()}
    numbers["start.released.unchanged_margin"] = _UNCHANGED - numbers["start.released.changed"]
    for score in ("bleu", "exact"):
        own, released = (numbers.get(f"start.{name}.{score}", float("nan")) for name in _FORMS)
        numbers[f"start.gain.{score}"] = own - released
    return numbers


_BORN = '([{kbpentity:true}]+) "was" "born" "in" "the" "city" "of" ([{slotvalue:true}]+)'
_WORDS = ("Ada", "was", "born", "in", "the", "city", "of", "Bath", ".")
_MADE_UP = RelationExample("made up", _WORDS, Span(0, 1), Span(7, 8), "per:city_of_birth")


def unseen_by_bleu() -> pd.DataFrame:
    """Of a made-up sentence a gold rule and two false ones: BLEU in per cent, and whether the rule matches."""
    gold = rule_tokens(_BORN)
    rules = {
        "the gold rule": gold,
        "subject and object exchanged": swapped(gold),
        "died for born": ["died" if token == "born" else token for token in gold],
    }
    rows = {name: (sentence_bleu([gold], rule), matches(rule, _MADE_UP)) for name, rule in rules.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["BLEU", "true of the sentence"])
