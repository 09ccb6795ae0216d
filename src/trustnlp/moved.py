"""Modules by the addresses that they had in 0.1: each leads to the module of today, with a `DeprecationWarning`.

For one release, and for what others import: methods and data. The table in the CHANGELOG says the same, and an import
of a new address costs nothing here.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

# (old package, new package): modules, those with another name as old=new.
_MOVED = {
    ("bias", "bias.association_tests"): (
        "association battery_page covariance many_tests measures permutation stability statistics stimuli tail_counts "
        "word_set_scores word_sets"
    ),
    ("bias", "bias.gender_direction"): (
        "direct_bias direction_nulls grammatical_gender language_bias missing_pairs pair_directions set_comparison"
    ),
    ("data", "data.annotation"): (
        "annotation=spacy_annotation constituency_trees corenlp_dependencies corenlp_labels english_tags "
        "parts_of_speech second_process"
    ),
    ("data", "data.languages"): (
        "chinese_words language_corpora language_words parallel_sentences scripts wikipedia_extracts"
    ),
    ("data", "data.linkage"): "ecbplus node_alignment record_sets stored_scores",
    ("data", "data.relations"): "kbp37 marked_sentences relation_examples rule_mappings semeval_relations tacred",
    ("data", "data.texts"): (
        "airline_tweets attribute_standins blog_topics corpus_documents english_text everyday_text film_reviews glue "
        "news_and_reviews owned_documents private_attributes sentence_sets"
    ),
    ("data", "data.words"): (
        "emotion_lexicon gender_words mapped_vectors opinion_lexicon owner_names released_word_lists similarity_sets "
        "weat_stimuli word_counts word_vectors words_in_context"
    ),
    ("embeddings", "embeddings.polarised"): (
        "polarised_classifier polarised_corpus polarised_kernel polarised_subwords polarised_training polarised_vectors"
    ),
    ("embeddings", "embeddings.senses"): "disambiguation sense_controls sense_induction sense_inventory",
    ("explain", "attribution"): (
        "attribution deletion_curves explainer_registry gradient_attribution masking_budget model_calls "
        "perturbed_words text_models word_attributions word_replacements word_scores word_switches"
    ),
    ("explain", "attribution.students"): (
        "bias_probes combination counterfactuals importance_scores influence_student masked_spans ridge_student "
        "span_predictions student_replacements student_training text_teacher"
    ),
    ("explain", "training"): "encoded_texts kept_results",
    ("explain.decoys", "decoys"): (
        "decoy_adoption decoy_recipes kept_decoys planted_decoys planted_properties word_association written_decoys"
    ),
    ("explain.decoys", "decoys.benchmark"): (
        "cell_table debugging_cells debugging_setups instance_selection leaderboard score_tables simulated_inspector"
    ),
    ("explain.errors", "error_analysis"): (
        "conversation_markers error_classifiers error_reports error_slices feature_rankings readable_features "
        "report_pages sampling_strategies"
    ),
    ("explain.rules", "relations"): "decoded_rules joint_training relation_extractor trained_extractor",
    ("explain.rules", "relations.rules"): (
        "corenlp_semgrex dependency_matcher dependency_patterns rule_base rule_index rule_spelling rule_syntax "
        "slot_types token_automaton token_columns token_patterns word_regex"
    ),
    ("graphs", "graphs.solver"): (
        "certificate contraction integer_program local_search must_links packing second_opinion star_cuts"
    ),
    ("models", "evaluation"): "logistic_path",
    ("models", "relations"): (
        "relation_dropout relation_encoder relation_inputs relation_network relation_rule_search=rule_search "
        "relation_trees=pruned_trees relation_vocabulary relation_word_rows=word_rows rule_decoder"
    ),
    ("models", "training"): "embedding_bag multichannel_cnn ngrams private_classifier text_classifiers",
    ("privacy", "privacy.accounting"): "accounting=composition guarantee",
    ("privacy", "privacy.attacks"): (
        "attribute_inference attribute_metrics attribute_network gf2 recovery reidentification state_recovery "
        "superseded twister"
    ),
    ("privacy", "privacy.audits"): (
        "auditing broken distinguish examination excluded_inputs low_bits noise_law repeats sequential"
    ),
    ("privacy", "privacy.mechanisms"): (
        "approximation file_release lipschitz low_dimensional mechanisms=additive_noise pairs projection releases "
        "representation width word_dropout"
    ),
    ("privacy", "privacy.noise"): "grid noise=samplers randomness secure_random",
    ("privacy", "privacy.text"): (
        "private_sense_choice sense_substitution substitution_counts text_guarantee text_pieces text_privatiser "
        "text_release word_substitution"
    ),
    ("privacy", "privacy.text.anonymisation"): (
        "anonymisation=documents anonymisation_entities=entities anonymisation_files=files "
        "anonymisation_inputs=inputs anonymisation_scores=scores anonymisation_vectors=vectors "
        "anonymisation_words=words entity_spans name_search removal_guarantee"
    ),
    ("reproduce", "reproduce.claims"): "claims=ledgers",
    ("reproduce", "reproduce.records"): "records=recording",
    ("reproduce", "reproduce.runs"): "runs=run_states",
    ("reproduce", "tools"): "cli",
}
TOP = "trustnlp"


def _addresses() -> dict[str, str]:
    table = {}
    for (old, new), modules in _MOVED.items():
        for module in modules.split():
            before, _, after = module.partition("=")
            table[f"{TOP}.{old}.{before}"] = f"{TOP}.{new}.{after or before}"
    return table


ADDRESSES = _addresses()
# Packages of which nothing is left: they are there for who imports a module by its old address.
_GONE = frozenset(
    {f"{TOP}.explain", f"{TOP}.explain.decoys", f"{TOP}.explain.errors", f"{TOP}.explain.rules", f"{TOP}.models"}
)


class OldAddresses(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules by their old addresses, after all other finders have found nothing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name in _GONE:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return importlib.machinery.ModuleSpec(name, self) if name in ADDRESSES else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        if spec.name in _GONE:
            return None
        new = ADDRESSES[spec.name]
        warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(new)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ not in _GONE:
            module.__spec__ = self._own_spec  # the module keeps its own; importlib has just given it the old one


def names_of(old: str) -> Callable[[str], Any]:
    """A package's `__getattr__` for names that stood in the module that had its address."""

    def asked(name: str) -> Any:
        new = ADDRESSES[old]
        if name.startswith("__"):
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(new), name)
        except AttributeError:
            raise AttributeError(f"module {old!r} has no attribute {name!r}") from None

    return asked


if not any(isinstance(finder, OldAddresses) for finder in sys.meta_path):
    sys.meta_path.append(OldAddresses())
