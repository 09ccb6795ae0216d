"""The drawing of the chapter: one word's vector, released with plain noise and after a projection."""

from itertools import pairwise

from trustnlp.plots.drawings import Drawing
from trustnlp.privacy.mechanisms.projection import target_dimension

DIMENSIONS, EPSILON, BETA, DELTA = 300, 10, 0.9, 1e-6  # of Table 1


def method_drawing() -> Drawing:
    """Two ways to release a vector: above the baseline of §4.1, below Algorithm 1 (§3)."""
    fewer = round(target_dimension(DIMENSIONS, BETA, DELTA))
    plain, projected = DIMENSIONS / EPSILON, fewer * (1 + BETA) / EPSILON
    picture = Drawing(
        "Two private releases of a word's vector",
        f"Somebody types “cancer”; the phone looks up its vector of {DIMENSIONS} numbers. Above, plain noise (M1): "
        f"noise of mean length {plain:.0f} is added in all dimensions. Below, PrivEmb (M2): a random projection turns "
        f"the vector into {fewer} numbers first, and noise of mean length {projected:.0f} suffices. A service reads "
        "the sums, and learns from them; so does an attacker, who looks for the word with the nearest vector.",
        caption=f"Above, M1 adds plain noise. Below, PrivEmb (M2) projects first. Here ε = {EPSILON} and β = {BETA}. "
        "The attacker guesses the word whose vector is nearest to the noisy one.",
    )
    word = picture.text("“cancer”", "typed", at=(0, 1))
    vector = picture.vector([0.2, 0.9, 0.4, 0.7, 0.1], "", f"{DIMENSIONS}\nnumbers", at=(1, 1))
    projection = picture.box("random\nprojection", at=(2, 2), tone="blue")
    long_noise = picture.noise("noise", f"length {plain:.0f}", at=(3, 0))
    noise = picture.noise("noise", f"length {projected:.0f}", at=(3, 2))
    hidden = picture.vector([0.8, 0.1, 0.5, 0.9, 0.3], "", f"{DIMENSIONS}\nnumbers", at=(4, 0), tone="ink")
    sent = picture.vector([0.6, 0.3, 0.8], "", f"{fewer}\nnumbers", at=(4, 2))
    reader = picture.person("reader", "service or\nattacker", at=(5, 1))
    for start, end in pairwise((word, vector, long_noise, hidden, reader)):
        picture.arrow(start, end)
    for start, end in pairwise((vector, projection, noise, sent, reader)):
        picture.arrow(start, end, tone="blue")
    return picture
