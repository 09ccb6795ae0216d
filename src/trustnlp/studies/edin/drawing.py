"""The drawing of the chapter: a sentence that no rule matches, its relation, and the rule written for it."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """Encoder, classifier and decoder (§3); what they learn from is dashed, and running the rule is our check."""
    picture = Drawing(
        "A network that names a relation and writes a rule for it",
        "The sentence “Ada Lind, who has led Nordvik since spring” goes into an encoder. A classifier names the "
        "relation, “works for”. A decoder writes a rule: person, comma, CEO, of, firm. Both have learned from "
        "sentences that a hand-written rule matches: the classifier from the rule's relation, the decoder from the "
        "rule. Run on this sentence, the decoded rule does not match: the relation is right, the rule is no reason.",
        caption="The dashed arrows show what the network learns from sentences that a hand-written rule matches. "
        "The grey arrow is a check that we add.",
    )
    taught = picture.label("works for", "the rule's relation", at=(0, 0))
    sentence = picture.text("Ada Lind, who\nhas led Nordvik\nsince spring", "no rule matches", at=(0, 1))
    hand = picture.box("person “,”\n“CEO” “of” firm", "hand-written rule", at=(0, 2), tone="orange")
    encoder = picture.box("encoder", at=(1, 1), tone="blue")
    classifier = picture.box("classifier", at=(2, 0), tone="blue")
    decoder = picture.box("decoder", at=(2, 2), tone="blue")
    relation = picture.label("works for", "the answer", at=(3, 0), tone="blue")
    run = picture.words("does not match", "run on the sentence", at=(3, 1), tone="grey")
    rule = picture.box("person “,”\n“CEO” “of” firm", "decoded rule", at=(3, 2), tone="blue")
    picture.arrow(taught, classifier, tone="orange", dashed=True)
    picture.arrow(hand, decoder, tone="orange", dashed=True)
    picture.arrow(sentence, encoder, tone="blue")
    picture.arrow(encoder, classifier, tone="blue")
    picture.arrow(encoder, decoder, tone="blue")
    picture.arrow(classifier, relation, tone="blue")
    picture.arrow(decoder, rule, tone="blue")
    picture.arrow(rule, run, tone="grey")
    return picture
