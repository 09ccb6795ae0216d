"""The relation network against the obvious loops: one example, one token and one step at a time.

Trees are pruned by networkx, and the released decoder's views are written out index by index.
"""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made_relations import made_relations
from torch import Tensor, nn

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.pruned_trees import pruned_tree
from trustnlp.relations.relation_inputs import RelationInputs
from trustnlp.relations.relation_network import RelationNetwork
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.relation_vocabulary import END, PADDING, START, RelationVocabulary, Rule, masked_words
from trustnlp.relations.rule_decoder import RuleDecoder, rule_loss
from trustnlp.relations.rule_search import beam_rules, greedy_rules, score_rules

CPU = torch.device("cpu")
WIDTH = 6


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


# --- trees -----------------------------------------------------------------------------------------------------------


def random_tree(rng: np.random.Generator, size: int) -> list[int]:
    """Heads of a tree whose root is any token."""
    order = rng.permutation(size)
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = int(order[rng.integers(place)])
    return heads


def slow_tree(heads: list[int], entities: list[int], distance: int) -> tuple[set[int], set[frozenset[int]]]:
    """Tokens and edges: all shortest paths between tokens of entities, and what is near them but not above them."""
    graph = nx.Graph([(token, head) for token, head in enumerate(heads) if head != -1])
    graph.add_nodes_from(range(len(heads)))
    path = {token for a, b in itertools.product(entities, repeat=2) for token in nx.shortest_path(graph, a, b)}
    root = heads.index(-1)
    top = min(path, key=lambda token: nx.shortest_path_length(graph, root, token))
    below = graph.copy()
    if heads[top] != -1:
        below.remove_edge(top, heads[top])
    kept = {t for t in below if any(nx.has_path(below, t, p) for p in path)}
    kept = {t for t in kept if min(nx.shortest_path_length(below, t, p) for p in path) <= distance}
    return kept, {frozenset(edge) for edge in below.subgraph(kept).edges}


@given(st.integers(0, 10_000), st.integers(0, 3))
def test_a_pruned_tree_is_that_of_shortest_paths(seed: int, distance: int) -> None:
    rng = np.random.default_rng(seed)
    heads = random_tree(rng, int(rng.integers(2, 14)))
    entities = rng.choice(len(heads), int(rng.integers(2, min(5, len(heads)) + 1)), replace=False).tolist()
    kept, edges = slow_tree(heads, entities, distance)
    found = pruned_tree(heads, entities, distance)
    assert {token for token, left in enumerate(found.kept) if left} == kept
    assert {frozenset((token, head)) for token, head in enumerate(found.parents) if head != -1} == edges


# --- encoder ---------------------------------------------------------------------------------------------------------


def bushy(count: int, seed: int) -> tuple[list[RelationExample], list[Rule | None], RelationVocabulary]:
    """Made-up examples with random trees, random tags, and some rules."""
    rng = np.random.default_rng(seed)
    examples, rules = made_relations(count, seed)
    changed = []
    for one in examples:
        heads = tuple(random_tree(rng, len(one.tokens)))
        tags = tuple(rng.choice(["NN", "VB", "JJ"], len(one.tokens)).tolist())
        changed.append(
            RelationExample(
                one.id, one.tokens, one.subject, one.object, one.relation, one.subject_type, one.object_type, tags, (),
                one.ner, heads,
            )
        )  # fmt: skip
    return changed, rules, RelationVocabulary.of(changed, rules)


def network(vocabulary: RelationVocabulary, **sizes: object) -> RelationNetwork:
    """A small network with weights that are not tiny, without dropout."""
    table = torch.randn(len(vocabulary.words), 5)
    table[0] = 0
    model = RelationNetwork(vocabulary, table, 50, RelationSizes(width=WIDTH, **sizes))  # type: ignore[arg-type]
    for value in model.parameters():
        nn.init.normal_(value, std=0.6)
    if model.decoder is not None:
        with torch.no_grad():
            model.decoder.embedding.weight[PADDING] = 0
    return model.eval()


def slow_step(cell: nn.LSTM, layer: int, row: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """A step of a layer of an LSTM by its equations."""
    w, u = getattr(cell, f"weight_ih_l{layer}"), getattr(cell, f"weight_hh_l{layer}")
    b = getattr(cell, f"bias_ih_l{layer}") + getattr(cell, f"bias_hh_l{layer}")
    i, f, g, o = (w @ row + u @ h + b).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def slow_lstm(cell: nn.LSTM, layer: int, rows: list[Tensor], h: Tensor, c: Tensor) -> list[Tensor]:
    found = []
    for row in rows:
        h, c = slow_step(cell, layer, row, h, c)
        found.append(h)
    return found


def slow_encode(model: RelationNetwork, one: RelationExample, vocabulary: RelationVocabulary) -> tuple[Tensor, ...]:
    """States of one sentence and its three pooled vectors, Eq. 1 to 5."""
    encoder = model.encoder
    columns = zip(
        vocabulary.encode("words", masked_words(one)),
        vocabulary.encode("entity_types", one.ner),
        vocabulary.encode("tags", one.tags),
        strict=True,
    )
    states = [
        torch.cat([encoder.words.rows[w], encoder.entity_types.weight[n], encoder.tags.weight[p]])
        for w, n, p in columns
    ]
    zero = torch.zeros(WIDTH)
    for ahead, back in zip(encoder.lstm.forwards, encoder.lstm.backwards, strict=True):
        there = slow_lstm(ahead, 0, states, zero, zero)
        return_ = slow_lstm(back, 0, states[::-1], zero, zero)[::-1]
        states = [torch.cat(pair) for pair in zip(there, return_, strict=True)]
    entities = [*range(*one.subject), *range(*one.object)]
    kept, edges = slow_tree(list(one.heads), entities, 1)
    for layer in encoder.convolutions:
        after = []
        for token in range(len(states)):
            near = [token, *(other for other in range(len(states)) if frozenset((token, other)) in edges)]
            near = [token, *[n for n in near[1:] if n != token]]
            mean = sum((layer.weight @ states[other] for other in near), torch.zeros(WIDTH)) / len(near)
            after.append((mean + layer.bias).relu())
        states = after
    pooled = [
        torch.stack([states[t] for t in sorted(chosen)]).max(0).values
        for chosen in (kept, set(range(*one.subject)), set(range(*one.object)))
    ]
    return torch.stack(states), *pooled


@torch.no_grad()
def test_states_and_pooled_vectors_are_those_of_the_loops() -> None:
    examples, rules, vocabulary = bushy(12, 1)
    model = network(vocabulary)
    encoded = model(RelationInputs.of(examples, vocabulary, rules).batch(np.arange(12), CPU))
    for row, one in enumerate(examples):
        states, *pooled = slow_encode(model, one, vocabulary)
        torch.testing.assert_close(encoded.states[row, : len(states)], states, rtol=1e-4, atol=1e-5)
        found = (encoded.sentence[row], encoded.subject[row], encoded.object[row])
        for fast, slow in zip(found, pooled, strict=True):
            torch.testing.assert_close(fast, slow, rtol=1e-4, atol=1e-5)


# --- decoder ---------------------------------------------------------------------------------------------------------


def slow_attention(decoder: RuleDecoder, query: Tensor, states: Tensor) -> Tensor:
    scores = torch.stack([state @ decoder.attention.weight @ query for state in states])
    weights = scores.exp() / scores.exp().sum()
    return sum((weight * state for weight, state in zip(weights, states, strict=True)), torch.zeros(WIDTH))


def slow_paper_logs(decoder: RuleDecoder, rule: list[int], states: Tensor, start: tuple[Tensor, Tensor]) -> Tensor:
    """log p of each token of a rule, in the form `paper`."""
    read = [decoder.embedding.weight[token] for token in [START, *rule[:-1]]]
    zero = torch.zeros(WIDTH)
    first = slow_lstm(decoder.lstm, 0, read, start[0], zero)
    second = slow_lstm(decoder.lstm, 1, first, start[1], zero)
    logs = []
    for hidden, token in zip(second, rule, strict=True):
        context = slow_attention(decoder, hidden, states)
        seen = context if decoder.output.in_features == WIDTH else torch.cat([hidden, context])
        logs.append((decoder.output.weight @ seen + decoder.output.bias).log_softmax(0)[token])
    return torch.stack(logs)


def slow_released_logs(decoder: RuleDecoder, rules: Tensor, states: list[Tensor], both: Tensor) -> Tensor:
    """log p of each token `(B, S)`, in the form `released`: flat memory is cut anew where torch views."""
    count, steps = rules.shape
    flat = both.flatten()  # B vectors of 2H numbers each, one after another
    hidden = [
        [flat[(layer * count + row) * WIDTH : (layer * count + row + 1) * WIDTH] for row in range(count)]
        for layer in range(2)
    ]
    cells = [list(layer) for layer in hidden]
    logs = torch.zeros(count, steps)
    read = [START] * count
    for step in range(steps):
        memory = torch.cat([torch.cat(layer) for layer in hidden])
        for row in range(count):
            embedded = decoder.embedding.weight[read[row]]
            query = torch.cat([memory[row * 2 * WIDTH : (row + 1) * 2 * WIDTH], embedded])
            vector = torch.cat([embedded, slow_attention(decoder, query, states[row])])
            for layer in range(2):
                vector, cells[layer][row] = slow_step(
                    decoder.lstm, layer, vector, hidden[layer][row], cells[layer][row]
                )
                hidden[layer][row] = vector
            logs[row, step] = (decoder.output.weight @ vector + decoder.output.bias).log_softmax(0)[rules[row, step]]
        read = rules[:, step].tolist()
    return logs


@torch.no_grad()
@pytest.mark.parametrize("reads", ["context", "state and context"])
def test_the_paper_s_joint_loss_is_that_of_the_loops(reads: str) -> None:
    examples, rules, vocabulary = bushy(10, 2)
    assert None in rules
    model = network(vocabulary, reads=reads)
    inputs = RelationInputs.of(examples, vocabulary, rules)
    rows = np.arange(10)
    batch, targets = inputs.batch(rows, CPU), inputs.rules_of(rows, CPU)
    found = model.loss(batch, torch.from_numpy(inputs.relations), targets, 0.25)
    ruled = torch.from_numpy(inputs.ruled)
    assert model.classifier is not None and model.decoder is not None
    tokens = list(model.decoder.losses(targets[ruled], model(batch).rows(ruled)))
    expected = 0.0
    for one, rule in zip(examples, rules, strict=True):
        states, sentence, subject, other = slow_encode(model, one, vocabulary)
        values = torch.cat([sentence, subject, other])
        for layer in model.classifier:
            values = layer.weight @ values + layer.bias if isinstance(layer, nn.Linear) else values.clamp_min(0)
        expected += -values.log_softmax(0)[vocabulary.relation(one.relation)].item()
        expected += 0.25 * (sentence**2).sum().item()
        if rule is not None:
            numbers = vocabulary.encode_rule(rule)
            logs = slow_paper_logs(model.decoder, numbers, states, (subject, other))
            expected += -logs.sum().item() / len(numbers)
            # One by one, for in the mean what each token says is small.
            torch.testing.assert_close(tokens.pop(0)[: len(logs)], -logs, rtol=1e-4, atol=1e-4)
    assert found.item() == pytest.approx(expected / 10, rel=1e-4)


@torch.no_grad()
def test_the_released_loss_is_that_of_the_loops() -> None:
    examples, rules, vocabulary = bushy(7, 3)
    model = network(vocabulary, form="released", classifier=False)
    assert model.decoder is not None
    inputs = RelationInputs.of(examples, vocabulary, rules)
    rows = np.arange(7)
    targets = inputs.rules_of(rows, CPU)
    encoded = [slow_encode(model, one, vocabulary) for one in examples]
    both = torch.stack([torch.cat([subject, other]) for _, _, subject, other in encoded])
    logs = slow_released_logs(model.decoder, targets, [states for states, *_ in encoded], both)
    steps = []
    for step in range(targets.shape[1]):
        there = [row for row in range(7) if targets[row, step] != PADDING]
        steps.append(sum(-logs[row, step].item() for row in there) / len(there))
    found = model.loss(inputs.batch(rows, CPU), torch.zeros(7), targets, 0.0)
    assert found.item() == pytest.approx(sum(steps), rel=1e-4)
    losses = model.decoder.losses(targets, model(inputs.batch(rows, CPU)))
    divided = rule_loss(losses, targets, "released", examples=7)
    assert divided.item() == pytest.approx(sum(steps) / (targets.shape[1] + 1), rel=1e-4)


# --- search ----------------------------------------------------------------------------------------------------------


@torch.no_grad()
def test_greedy_beam_and_scores_are_those_of_all_rules() -> None:
    """Of a vocabulary of two tokens all rules of at most four tokens are scored, one by one."""
    examples, _, vocabulary = bushy(3, 4)
    vocabulary = RelationVocabulary.of(examples, [("a", "b")])
    model = network(vocabulary)
    decoder = model.decoder
    assert decoder is not None
    encoded = model(RelationInputs.of(examples, vocabulary).batch(np.arange(3), CPU))
    tokens = [t for t in range(len(vocabulary.rule_tokens)) if t not in (PADDING, START, END)]
    rules = [[*rule, END] for length in range(4) for rule in itertools.product(tokens, repeat=length)]
    beams = beam_rules(decoder, encoded, 300, 4)
    greedy = greedy_rules(decoder, encoded, 4)
    scored = score_rules(decoder, encoded, [rules] * 3)
    for row, one in enumerate(examples):
        states, _, subject, other = slow_encode(model, one, vocabulary)
        logs = [slow_paper_logs(decoder, rule, states, (subject, other)).sum().item() for rule in rules]
        np.testing.assert_allclose(scored[row], logs, rtol=1e-3, atol=1e-4)
        ended = {
            tuple(t for t in rule if t != PADDING): score
            for rule, score in zip(beams.tokens[row].tolist(), beams.scores[row].tolist(), strict=True)
            if END in rule and math.isfinite(score)
        }
        order = np.argsort(-np.array(logs), kind="stable")
        assert list(ended) == [tuple(rules[at]) for at in order]
        np.testing.assert_allclose(list(ended.values()), np.array(logs)[order], rtol=1e-3, atol=1e-4)
        best: list[int] = []
        while len(best) < 4 and END not in best:
            following = [
                slow_paper_logs(decoder, [*best, t], states, (subject, other))[-1].item() for t in [END, *tokens]
            ]
            best.append([END, *tokens][int(np.argmax(following))])
        assert [t for t in greedy[row].tolist() if t != PADDING] == best
