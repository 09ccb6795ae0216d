"""Tables 1 and 3 on a few sentences and played networks: rows, lookups beside every BLEU, records and what is shown."""

from dataclasses import replace
from itertools import product
from unittest.mock import patch

import pytest
from made_rules import Played, corpus_of, rule, rules_of, sentence

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.reference_overlap import corpus_bleu
from trustnlp.reproduce import Record
from trustnlp.studies.edin import tables
from trustnlp.studies.edin.models import RuledCorpus

WORDS = (("b", "birth", "born"), ("r", "birth", "raised"), ("d", "death", "died"))
BORN, RAISED, DIED = (rule(f'"{word}" "in"') for _, _, word in WORDS)
RULES = rules_of(*((name, said, f'"{word}" "in"') for name, said, word in WORDS))
LABELS = ("birth", "death", NO_RELATION)
GIVEN = {"negatives": 1.0, "labelled": 100}


TEXTS = [("born", "birth"), ("born", "birth"), ("raised", "birth"), ("died", "death"), ("saw", NO_RELATION)]
EXAMPLES = [sentence(at, *text) for at, text in enumerate(TEXTS)]


@pytest.fixture
def play(monkeypatch):
    """Put played networks in the place of trainings."""

    def played(**networks):
        monkeypatch.setattr(RuledCorpus, "trained", lambda self, taught, row, seed, **_: networks[row])

    return played


@pytest.fixture
def ruled(play):
    play(
        ours=Played(["birth"] * 4 + [NO_RELATION], [BORN, BORN, BORN, DIED, BORN]),
        no_decoder=Played([NO_RELATION] * 5),
        no_classifier=Played([], [RAISED, RAISED, RAISED, DIED, BORN]),
    )
    return RuledCorpus(corpus_of(EXAMPLES, RULES, LABELS), GIVEN)


def test_table_1_by_hand(ruled):
    found = tables.rows_of_seed(ruled, 0)
    for configuration in ("rule_only", "combined"):
        said = {key.removeprefix(f"{configuration}."): value for key, value in found.items()}
        assert (said["ours.precision"], said["ours.recall"]) == (75, 75)
        assert said["joint_gain.f1"] == 75  # without a decoder nothing is found
        assert (said["ours.exact"], said["no_classifier.exact"]) == (75, 50)
        # DIED says death where birth is predicted, so it does not explain that; RAISED is true of sentence 2 alone.
        assert (said["ours.executed_scored"], said["no_classifier.executed"]) == (50, 50)
        assert (said["lookup.exact"], said["lookup.executed"]) == (50, 50)
        assert said["ours_over_lookup.executed"] == 0
        assert said["ours_over_lookup.bleu"] == pytest.approx(said["ours.bleu"] - said["lookup.bleu"])
        assert said["ours.executable"] == 75  # of four relations predicted, births, the rules give three
    assert found["rule_only.ours.matched_accuracy"] == 75 and found["rule_only.ours_over_rules.recall"] == -25
    assert not any(key.startswith("combined.ours_over_rules") for key in found)
    # The control says birth of the last sentence, too: four of five right, so an F1 of 8 / 9; the network's is 75.
    assert found["rule_only.ours_over_types.f1"] == pytest.approx(75 - 800 / 9)


def test_table_3_has_the_kept_rules_as_references(ruled):
    found = tables.curve_of_seed(ruled, 0, [40, 100])
    # The one kept rule is that of births, which sentences 0 and 1 have; with all rules four sentences have one.
    assert (found["p40.exact"], found["p100.exact"]) == (100, 75)
    assert found["p40.over_rules.f1"] == pytest.approx(75 - 100)


def test_each_seed_has_its_own_networks_and_supervision(ruled):
    with (
        patch.object(RuledCorpus, "trained", autospec=True, side_effect=RuledCorpus.trained) as trained,
        patch.object(RuledCorpus, "supervision", autospec=True, side_effect=RuledCorpus.supervision) as supervision,
    ):
        tables.rows_of_seed(ruled, 3)
        tables.curve_of_seed(ruled, 4, [100])
    rows = product(("rule_only", "combined"), ("ours", "no_decoder", "no_classifier"), [3])
    assert [call.args[1:] for call in trained.call_args_list] == [*rows, ("rule_only", "ours", 4)]
    assert {call.args[2] for call in supervision.call_args_list} == {3}


def test_table_3_is_of_the_dev_part_and_its_kept_rules(ruled):
    """The test part is another: what is read off it would be seen."""
    other = replace(ruled.corpus, test=[sentence(at, "saw", NO_RELATION) for at in range(5)])
    assert tables.curve_of_seed(RuledCorpus(other, GIVEN), 0, [40, 100]) == tables.curve_of_seed(ruled, 0, [40, 100])


def test_both_decoders_are_compared_on_all_items_with_a_rule(ruled, play):
    play(
        ours=Played(["birth", *[NO_RELATION] * 4], [BORN, DIED, DIED, DIED, BORN]),
        no_decoder=Played([NO_RELATION] * 5),
        no_classifier=Played([], [BORN, DIED, RAISED, DIED, BORN]),
    )
    found = tables.rows_of_seed(ruled, 0)
    right = [[BORN], [BORN], [RAISED], [DIED]]
    alone = corpus_bleu(right, [BORN, DIED, RAISED, DIED])
    same = corpus_bleu(right, [BORN, DIED, DIED, DIED])
    assert found["rule_only.joint_gain.bleu_same"] == pytest.approx(same - alone) and same < alone
    # As printed: 100 on the one item with a relation predicted, less the other's on all four.
    assert found["rule_only.joint_gain.bleu"] == pytest.approx(100 - alone)


def test_without_predictions_there_is_no_bleu_and_no_lookup(ruled, play):
    nobody = Played([NO_RELATION] * 5, [BORN] * 5)
    play(ours=nobody, no_decoder=nobody, no_classifier=nobody)
    found = tables.rows_of_seed(ruled, 0)
    for key in ("ours.bleu", "lookup.bleu", "ours_over_lookup.bleu", "joint_gain.bleu"):
        assert f"rule_only.{key}" not in found


def record_of_two():
    return Record("edin", "kbp37", profile="smoke", seeds=[0, 1], repeats="float32")


def test_a_corpus_of_smoke_is_made_up_and_the_record_says_so():
    record = record_of_two()
    given = {"n_items": 120, "width": 8, "lstm_layers": 1, "epochs": 3, "learning_rate": 0.1, "negatives": 2.0}
    ruled = tables.ruled_corpus(record, "kbp37", given, pairs=["curve"])
    assert len(ruled.train.examples) == 72 and ruled.parameters is given
    said = record.to_json()
    assert said["conditions"] == {"corpus": "made-up"} and said["data"] == {}
    texts = [each["text"] for each in said["deviations"]]
    assert any("8 wide" in text and "3 epochs at rate 0.1" in text for text in texts)
    assert [each["keys"] for each in said["deviations"] if "2 other pairs" in each["text"]] == [["curve"]]


def test_rows_of_seeds_are_recorded_where_every_seed_has_them():
    record = record_of_two()
    tables.record_seeds(record, [{"a.f1": 1.0, "b.gain": 2.0}, {"a.f1": 3.0}], "x.")
    assert set(record.measurements) == {"x.a.f1"}
    assert (record.measurements["x.a.f1"]["values"], record.measurements["x.a.f1"]["unit"]) == ([1, 3], "%")


def test_the_rules_are_recorded_with_intervals_over_items(ruled):
    record = record_of_two()
    tables.record_rules(record, ruled, 200, ["precision", "f1"])
    assert {key: one["mean"] for key, one in record.measurements.items()} == {"rules.precision": 100, "rules.f1": 100}
    # No rule is wrong, whatever items are drawn.
    assert (record.measurements["rules.f1"]["low"], record.measurements["rules.f1"]["high"]) == (100, 100)
