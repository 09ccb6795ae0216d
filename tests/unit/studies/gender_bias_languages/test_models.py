"""A kept training is the same and is not trained again."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.studies.gender_bias_languages import models
from trustnlp.studies.gender_bias_languages.models import Training, trained

QUICK = Training(dim=20, epochs=2)


def test_a_kept_training_is_the_same_and_is_not_trained_again(spanish, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    kept = Training(dim=20, epochs=2, kept=True)
    plain, first = trained(spanish.texts, QUICK, 1), trained(spanish.texts, kept, 1)
    assert plain.words == first.words
    np.testing.assert_array_equal(plain.matrix, first.matrix)
    with monkeypatch.context() as untrained:
        untrained.setattr(models, "train_word2vec", lambda *_, **__: pytest.fail("trained again"))
        np.testing.assert_array_equal(trained(spanish.texts, kept, 1).matrix, first.matrix)
    others = [(spanish.texts[1:], kept, 1), (spanish.texts, kept, 2), (spanish.texts, Training(20, 3, kept=True), 1)]
    assert all(not np.array_equal(trained(*other).matrix, first.matrix) for other in others)
    assert len(list(tmp_path.rglob("*.npy"))) == 4
