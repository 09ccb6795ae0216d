"""Modules by the addresses that they had in 0.1: each leads to the module of today, with a `DeprecationWarning`.

For one release. The table in the CHANGELOG says the same, and an import of a new address costs nothing here.
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
    ("reproduce", "reproduce.checks"): (
        "agreement comparison recorded_keys rule_errors standing unit_statements verification"
    ),
    ("reproduce", "reproduce.claims"): (
        "claim_types claims=ledgers evidence grids judgements ledger_lints ledger_tables printed_orders quotations "
        "rules sentences shared_quantities tallies verdicts"
    ),
    ("reproduce", "reproduce.code"): (
        "bound_values chance code_closure definitions effects messages name_lookup names_read normal_form "
        "pure_code pure_names reach scopes targets"
    ),
    ("reproduce", "reproduce.notebooks"): (
        "chapter_template notebook_slice output_sources paper_places sources twins value_flow"
    ),
    ("reproduce", "reproduce.pages"): (
        "assertions book built_pages dashboard external_links inline_figures ledger_page measured_text page_evidence "
        "printing published redirects staging tables"
    ),
    ("reproduce", "reproduce.records"): (
        "derived_metrics measurement metric_series numerals plain_values provenance record_edits record_files "
        "record_values records=recording unit_rewriting units"
    ),
    ("reproduce", "reproduce.runs"): (
        "cachekey durations execution injected_parameters joining kernel params part_checks progress runner "
        "runs=run_states sweep warm_kernels workers"
    ),
    ("reproduce", "tools"): (
        "cli cli_attack cli_bias cli_explain cli_graphs cli_privacy cli_release cli_senses cli_text missing_extras "
        "report_files unreadable_files user_files"
    ),
    ("studies.aec", "studies.aec"): "peer_strategies=baselines planted_causes=standins planted_rankings=method",
    ("studies.aec", "studies.aec.beyond"): "transfer_checks transfer_figures",
    ("studies.aec", "studies.aec.checks"): "drawn_counts printed_examples printed_precision",
    ("studies.aec", "studies.aec.critique"): "label_controls ranking_checks",
    ("studies.aec", "studies.aec.data"): "elsewhere_texts error_corpus labelled_sets near_duplicates",
    ("studies.aec", "studies.aec.loop"): "label_accounts labelling_loop looped_tweets",
    ("studies.aec", "studies.aec.models"): "base_classifiers convolution_base encoder_base retrained_base",
    ("studies.aec", "studies.aec.reproduction"): "error_experiments named_features ranked_errors reproduced_tables",
    ("studies.decoys", "studies.decoys"): (
        "counted_words=baselines power_curves=strength printed_numbers=checks rank_persistence=critique "
        "read_explanations=method review_splits=data"
    ),
    ("studies.decoys", "studies.decoys.adoption"): "adoption_conditions adoption_figures adoption_measures",
    ("studies.decoys", "studies.decoys.debugging"): (
        "compared_models debugged_models debugging_figures debugging_numbers decoy_pairs named_words "
        "repaired_models uncovered_texts"
    ),
    ("studies.decoys", "studies.decoys.leaderboard"): (
        "benchmark_models bug_searches explained_cells leaderboard_figures leaderboard_numbers"
    ),
    ("studies.decoys", "studies.decoys.models"): "buggy_models convolution_models",
    ("studies.decoys", "studies.decoys.reproduction"): "decoy_tables figure_sentences movie_sentences",
    ("studies.dpnr", "studies.dpnr"): "planted_texts=standins subgroup_map=blogs",
    ("studies.dpnr", "studies.dpnr.checks"): "ag_file table_checks",
    ("studies.dpnr", "studies.dpnr.critique"): "dropped_words noisy_representation released_sentences",
    ("studies.dpnr", "studies.dpnr.models"): "refitted_head trainings",
    ("studies.dpnr", "studies.dpnr.reproduction"): "attribute_attack private_comparisons private_representations",
    ("studies.dpnr", "studies.dpnr.tradeoff"): "honest_releases tradeoff_figure",
    ("studies.dpnr_study", "studies.dpnr_study"): "everyday_standins=standins noise_training=training",
    ("studies.dpnr_study", "studies.dpnr_study.leakage"): "leakage_figures word_leakage",
    ("studies.edin", "studies.edin"): (
        "decoder_checks=critique extractor_trainings=models known_truth=method lookup_baselines=baselines "
        "printed_arithmetic=checks true_explanations=beyond"
    ),
    ("studies.edin", "studies.edin.data"): "mined_rules relation_corpora rule_supervision",
    ("studies.edin", "studies.edin.mappings"): "mapping_statistics mapping_tables",
    ("studies.edin", "studies.edin.standins"): "mapping_standins relation_standins",
    ("studies.edin", "studies.edin.table1"): (
        "executed_rules extraction_tables recorded_networks recorded_tables rule_quality"
    ),
    ("studies.gender_bias_languages", "studies.gender_bias_languages"): (
        "kept_trainings=models list_checks=checks planted_checks=method planted_languages=standins text_audits=critique"
    ),
    ("studies.gender_bias_languages", "studies.gender_bias_languages.beyond"): "repairs shared_directions",
    ("studies.gender_bias_languages", "studies.gender_bias_languages.data"): "language_runs other_pairs",
    ("studies.gender_bias_languages", "studies.gender_bias_languages.lists"): "list_counts word_tables",
    ("studies.gender_bias_languages", "studies.gender_bias_languages.reproduction"): (
        "direction_gate language_clusters language_figures language_results languages_said measured_languages"
    ),
    ("studies.moxie", "studies.moxie"): (
        "additive_student=baselines asked_teachers=teachers error_masking=importance review_sources=data "
        "review_standins=standins trainings=models"
    ),
    ("studies.moxie", "studies.moxie.biases"): "adjective_contexts probe_figures word_permutation",
    ("studies.moxie", "studies.moxie.checks"): "equation_checks printed_arithmetic",
    ("studies.moxie", "studies.moxie.counterfactuals"): "named_words printed_examples",
    ("studies.moxie", "studies.moxie.faithfulness"): "elsewhere explainer_figure explainers",
    ("studies.moxie", "studies.moxie.method"): "planted_students planted_teacher",
    ("studies.moxie", "studies.moxie.reproduction"): "length_dependence student_accuracy",
    ("studies.polarizedtext", "studies.polarizedtext"): (
        "compared_methods=baselines owned_standins=standins promised_thresholds=beyond released_figure=released"
    ),
    ("studies.polarizedtext", "studies.polarizedtext.critique"): "critical_numbers critical_tables",
    ("studies.polarizedtext", "studies.polarizedtext.data"): "corpora owner_evidence planted_secrets",
    ("studies.polarizedtext", "studies.polarizedtext.method"): "field_energy field_picture planted_recovery",
    ("studies.polarizedtext", "studies.polarizedtext.models"): (
        "gensim_vectors kept_entities kept_vectors supervised_vectors"
    ),
    ("studies.polarizedtext", "studies.polarizedtext.reidentification"): ("attack_tables readability redacted_attacks"),
    ("studies.polarizedtext", "studies.polarizedtext.reproduction"): (
        "detection_curves reproduced_curves roc_numbers scored_corpora shown_paragraph word_geometry"
    ),
    ("studies.privemb", "studies.privemb"): (
        "planted_faults=audits privacy_tradeoff=tradeoff sentence_standins=standins undone_releases=attacks"
    ),
    ("studies.privemb", "studies.privemb.reproduction"): "comparison lexicon_classification released_vectors",
    ("studies.sense_privatization", "studies.sense_privatization"): (
        "printed_scores=checks repaired_choice=beyond sense_standins=standins substituted_pairs=similarity"
    ),
    ("studies.sense_privatization", "studies.sense_privatization.critique"): (
        "counterexample equal_protection kept_grammar move_sampling moved_senses neighbour_attack repeated_draws "
        "substitute_ranks"
    ),
    ("studies.sense_privatization", "studies.sense_privatization.data"): "trained_space vector_spaces",
    ("studies.sense_privatization", "studies.sense_privatization.deniability"): (
        "curve_tests deniability=deniability_curves recorded"
    ),
    ("studies.sense_privatization", "studies.sense_privatization.inventory"): "bank sense_geometry",
    ("studies.sense_privatization", "studies.sense_privatization.method"): "ego_drawing planted_checks",
    ("studies.sense_privatization", "studies.sense_privatization.models"): "mechanism_arms one_sense_arm quick_arms",
    ("studies.sense_privatization", "studies.sense_privatization.tasks"): "private_tasks task_releases text_states",
    ("studies.weat_measures", "studies.weat_measures"): (
        "peer_rules=baselines printed_effects=checks stimulus_vectors=data weat_standins=standins"
    ),
    ("studies.weat_measures", "studies.weat_measures.reproduction"): "effect_sizes effects heatmap",
    ("studies.xer", "studies.xer"): (
        "all_constraints=baselines printed_edges=checks recalibration=beyond score_quality=critique"
    ),
    ("studies.xer", "studies.xer.explanation"): "decisions pair_graphs",
    ("studies.xer", "studies.xer.linkage"): "linkage_study record_linkage similarity_linkage training_pairs",
    ("studies.xer", "studies.xer.reproduction"): "coreference_graphs solver_curves stored_comparison",
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
