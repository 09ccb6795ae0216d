"""Made text that several files measure; it is trained on and never changed."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.studies.gender_bias_languages.data import LanguageText, language_text


@pytest.fixture(scope="package")
def spanish() -> LanguageText:
    return language_text("es", planted_tokens=40_000, rng=np.random.default_rng(0))
