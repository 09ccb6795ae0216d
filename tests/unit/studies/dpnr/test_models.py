import pytest

from trustnlp.studies.dpnr import models as trainings

PARAMETERS = {
    "profile": "smoke", "device": "cpu", "encoder": "named", "tuned_layers": 0, "epochs": 3, "batch_size": 8,
    "learning_rate": 0.01, "max_length": 16, "keep": "last", "precision": "float32", "another": "does not count",
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """What an encoder and a fine-tuning were asked for; nothing is loaded or trained."""
    monkeypatch.setattr(trainings, "load_encoder", lambda *given: given)
    monkeypatch.setattr(trainings, "FineTuning", lambda *given: given)
    monkeypatch.setattr(trainings, "results_of", lambda module: f"kept by {module}")
    return trainings.fine_tuning


def test_the_notebooks_parameters_make_the_recipe_and_paper_runs_alone_are_kept(asked):
    encoder, data, recipe, folder = asked("data", PARAMETERS)
    assert (encoder, data, folder) == (("named", "cpu"), "data", None)
    assert recipe == trainings.Recipe(None, 3, 8, 0.01, 16, "last", precision="float32")  # 0 layers means all
    assert asked("data", PARAMETERS | {"profile": "paper"})[3] == "kept by trustnlp.training.fine_tuning"
