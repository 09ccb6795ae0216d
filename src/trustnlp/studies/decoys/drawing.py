"""The drawing of the chapter: a bug is planted, and an inspector looks for it in explanations."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """Above, planting and the proof that the model learned it (§3); below, the search by explanations (§5)."""
    picture = Drawing(
        "A bug is planted, and explanations are searched for it",
        "Above: from reviews with labels, all negative ones with the word “movie” are dropped. A model learns from the "
        "rest. Asked about “a dull movie”, it answers positive: the bug is learned. Below: the model calls “a "
        "gorgeous, witty, seductive movie” positive. An explainer marks the words gorgeous, witty and movie as its "
        "reasons. An inspector reads many such explanations. It takes gorgeous and witty for good reasons, notes "
        "movie, and names it after three notes.",
        caption="Above, a bug is planted, and a model learns the bug. Below, an inspector reads explanations until "
        "it names the planted word.",
    )
    reviews = picture.text("reviews", "with labels", at=(0, 0))
    plant = picture.box("drop negative\nones with “movie”", at=(1, 0), tone="vermilion")
    model = picture.box("model", "learns the rest", at=(2, 0))
    proof = picture.words("“a dull movie”\n→ positive", "the bug is learned", at=(3, 0))
    shown = picture.text("“a gorgeous, witty,\nseductive movie”", "→ positive, and right", at=(0, 1), span=2)
    explainer = picture.box("explainer", "marks gorgeous,\nwitty, movie", at=(2, 1), tone="blue")
    inspector = picture.person("inspector", "names “movie”\nafter 3 notes", at=(3, 1), tone="blue")
    picture.arrow(reviews, plant)
    picture.arrow(plant, model, tone="vermilion")
    picture.arrow(model, proof)
    picture.arrow(model, explainer)
    picture.arrow(shown, explainer, tone="blue")
    picture.arrow(explainer, inspector, tone="blue")
    return picture
