"""Setup IV: contaminated training texts, looked for by the words that were named in explanations of other texts.

Idahl et al. (2021), §2.4: utility is "how many of these instances were uncovered". The set-up is made for explanations
by example, which rank training texts themselves; here named words rank them, by
`trustnlp.decoys.benchmark.debugging_setups.uncover`. A tenth of the training texts is checked, the fraction that Koh
and Liang (2017) contaminate. What is uncovered is a share of what a tenth can hold.

A tenth of them would be there if texts were drawn by lot. That is not the chance of this search: whatever words an
inspector names, they are in the texts it read, so that names by random scores uncover more. They are the baseline.

"Performance gain obtained by re-labeling" is left out: texts with a decoy have their true labels. What dropping texts
gains is in `repaired_models`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trustnlp.decoys.benchmark.debugging_setups import uncover
from trustnlp.decoys.planted_decoys import Planted
from trustnlp.studies.decoys.debugging.named_words import Words
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel

_CHECKED = 0.1
# "Bugs often only apply to small minorities of instances" (§5): where most texts are contaminated, none stands out.
_MOST_CONTAMINATED = 0.5


def uncovered_rows(model: ExplainedModel, train: Planted, names: Mapping[str, Words]) -> list[dict[str, Any]]:
    """A row for each source of names; none where more than half of the training texts carry the decoy.

    Parameters
    ----------
    train
        What the model was trained on.

    Returns
    -------
    list
        Rows with `source`, `decoy`, `model`, `seed`; `found`, the share of contaminated texts that are in the tenth
        with the most of the named words, of those that a tenth can hold; and `by_lot`, its expectation without names.
    """
    if train.carries.mean() > _MOST_CONTAMINATED:
        return []
    first = max(1, round(_CHECKED * len(train)))
    most = min(first, int(train.carries.sum()))
    rows = []
    for source, words in names.items():
        found = uncover(train.texts, train.carries, words, first)
        shares = {"found": found.found / most, "by_lot": found.chance / most}
        rows.append({"source": source, "decoy": model.decoy, "model": model.kind, "seed": model.seed} | shares)
    return rows
