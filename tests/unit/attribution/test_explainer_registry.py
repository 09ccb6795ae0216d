"""Explainers by name: the built-in ones, a third party's that is really found, and all that may be wrong with one."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.attribution import METHODS, attribute
from trustnlp.attribution.explainer_registry import GROUP, ExplainerError, explain, explainer, explainers, provider
from trustnlp.attribution.word_scores import Attribution

EXAMPLE = Path(__file__).with_name("example_explainer")
EFFECTS = {"good": 0.3, "dull": -0.2, "film": 0.05}
TEXTS = ["a good film", "dull , dull film"]
Install = Callable[..., None]


def shares(texts: Sequence[str]) -> NDArray[np.float64]:
    p = np.array([0.5 + sum(EFFECTS.get(word, 0.0) for word in text.split()) for text in texts])
    return np.stack([1 - p, p], axis=1)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def explained(which: Any, texts: Any = TEXTS, **more: Any) -> list[Attribution]:
    return explain(which, shares, texts, rng=rng(), **more)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution where Python looks for installed ones, as an installer would: its code and its metadata."""
    before = set(sys.modules)

    def put(name: str, entries: dict[str, str], *, version: str = "1.0", code: Path | None = None) -> None:
        info = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [f"[{GROUP}]", *(f"{key} = {value}" for key, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        if code is not None:
            shutil.copy(code, tmp_path)
        monkeypatch.syspath_prepend(tmp_path)

    yield put
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]


def install_example(install: Install) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    [module] = project["tool"]["setuptools"]["py-modules"]
    own = project["project"]
    install(own["name"], own["entry-points"][GROUP], version=own["version"], code=EXAMPLE / f"{module}.py")


def test_the_built_in_ones_are_the_methods_of_attribution_with_one_seed() -> None:
    assert tuple(explainers()) == METHODS
    for method in ("occlusion", "kernel_shap"):
        found, expected = explained(method, label=0), attribute(shares, TEXTS, method, label=0, generator=rng())
        for own, other in zip(found, expected, strict=True):
            assert own.words == other.words and own.scores.tolist() == other.scores.tolist()
            assert (own.method, own.label, own.value, own.passes) == (method, 0, other.value, other.passes)
    other_seed = explain("random", shares, TEXTS, rng=rng(1))
    assert (other_seed[0].scores != explained("random")[0].scores).any()
    assert provider("lime") == "trustnlp"


def test_a_third_partys_explainer_joins_by_being_installed(install: Install) -> None:
    with pytest.raises(ValueError, match="no explainer is called 'masked_words'"):
        explained("masked_words")
    install_example(install)
    assert tuple(explainers()) == (*METHODS, "masked_words")
    assert "example_explainer" not in sys.modules, "no package is imported to be listed"
    assert provider("masked_words") == "example-explainer 0.1.0"
    assert explainer("masked_words").__module__ == "example_explainer"
    first, second = explained("masked_words")
    assert first.scores.tolist() == pytest.approx([0, 0.3, 0.05]) and first.label == 1
    assert first.value == pytest.approx(0.85) and first.method == "masked_words" and first.label_name == "label 1"
    # 0.15 for positive: what speaks for negative is explained.
    assert second.scores.tolist() == pytest.approx([0.2, 0, 0.2, -0.05]) and second.label == 0
    assert explained("masked_words", label=1)[1].scores.tolist() == pytest.approx([-0.2, 0, -0.2, 0.05])
    listed = explainers()["masked_words"]
    assert explained(listed)[0].scores.tolist() == first.scores.tolist()
    assert "good  +0.300" in str(first)


def test_a_package_that_cannot_be_imported_fails_alone_and_by_name(install: Install, tmp_path: Path) -> None:
    (tmp_path / "needy.py").write_text("import no_such_library\n")
    (tmp_path / "wrong.py").write_text("NUMBER = 3\n")
    entries = {"needy": "needy:f", "gone": "wrong:gone", "number": "wrong:NUMBER"}
    install("bad-explainers", entries, version="2.1")
    assert set(explainers()) == {*METHODS, *entries}
    assert explained("occlusion")[0].scores[1] == pytest.approx(0.3)
    by = "of bad-explainers 2.1"
    rows = [
        ("needy", rf"'needy' {by} \(entry point needy:f\) cannot be imported, ModuleNotFoundError: .*'no_such_"),
        ("gone", rf"'gone' {by} .* cannot be imported, AttributeError: .*gone.*Repair or uninstall"),
        ("number", rf"'number' {by} \(entry point wrong:NUMBER\) is no function but of type int"),
    ]
    assert_refused(explained, rows, ExplainerError)
    assert provider("needy") == "bad-explainers 2.1"


def test_a_name_that_is_taken_is_refused_by_name(install: Install) -> None:
    install_example(install)
    install("other-explainers", {"masked_words": "elsewhere:f"})
    with pytest.raises(ExplainerError, match=r"'masked_words' of .* has a name that .* has taken") as refusal:
        explainers()
    assert "other-explainers 1.0" in str(refusal.value) and "example-explainer 0.1.0" in str(refusal.value)


def test_the_name_of_a_built_in_one_is_refused(install: Install) -> None:
    install("sly-explainer", {"occlusion": "sly:f"})
    with pytest.raises(ExplainerError, match=r"'occlusion' of sly-explainer 1.0 .* trustnlp has taken: uninstall"):
        explainer("lime")


def test_an_unknown_name_gets_the_nearest_and_the_list() -> None:
    with pytest.raises(ValueError, match=r"'oclusion'; did you mean 'occlusion'\? There are occlusion, shapley"):
        explained("oclusion")


def given_back(answer: Any) -> Callable[..., Any]:
    def planted(model: Any, texts: Any, *, label: int | None = None, rng: Any) -> Any:
        return answer

    return planted


def test_what_an_explainer_gives_is_checked() -> None:
    good = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]]
    other = attribute(shares, ["a fine film", TEXTS[1]], label=1)
    rows = [
        (None, "explainer 'planted' gave None; expected a list, of scores of each text"),
        (good[:1], "explainer 'planted' was given 2 texts and gave scores of 1"),
        ([good[0], good[0]], r"'planted', text 1 of 2: scores of shape \(3,\) for 4 words; expected one a word"),
        ([[0.1, float("nan"), 0.3], good[1]], "text 0 of 2: the score of word 1, 'good', is nan; expected finite"),
        ([good[0], torch.ones(4, requires_grad=True)], "text 1 of 2: tensor.* are no numbers, .*detach"),
        (other, r"text 0 of 2: the explanation is of \('a', 'fine', 'film'\), not of \('a', 'good', 'film'\)"),
        (attribute(shares, TEXTS, label=0), "text 0 of 2: label 1 was asked for, and the explanation is of label 0"),
    ]
    assert_refused(lambda answer: explained(given_back(answer), label=1), rows, ExplainerError)


def test_scores_come_as_any_numbers_and_stay_the_explainers_own() -> None:
    kept = np.array([1.0, 2.0, 3.0])
    mixed = [kept, attribute(shares, TEXTS[1])]
    first, second = explained(given_back(mixed))
    assert first.scores.tolist() == [1, 2, 3] and first.scores.dtype == np.float64
    assert second is mixed[1]
    kept[0] = 9
    assert first.scores[0] == 1 and first.passes == 1 and first.baseline is None
    for ones in (np.ones((1, 3)), [torch.ones(3)], iter([(1, 1, 1)])):
        assert explained(given_back(ones), TEXTS[:1])[0].total == 3


def test_bad_input_is_explained() -> None:
    class Named:
        class_names = ("bad", "good")
        mask = "?"

        def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
            return shares(texts)

    ones = given_back([[1, 1, 1]])
    assert explain(ones, Named(), TEXTS[:1], rng=rng())[0].label_name == "good"
    assert_refused(
        lambda texts: explained(ones, texts),
        [([], r"expected a list of at least one text, got \[\]"), (["a", " "], r"text 1 is \(\); expected its words")],
    )
