"""Which prompt layout does a model answer best in? Measured on texts of our own.

    python benchmarks/profile_search/search.py DIR/MODEL.gguf [--task classify|scale]

Needs torch, transformers and gguf, not sqlax. A prompt is tokenised part by part, as sqlax
does. One line is printed for each layout; docs/quality.md keeps those that we ran.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

HERE = Path(__file__).parent
Parts = list[str]
Form = Callable[[str, str], Parts]
"""A question and a text, laid out up to the answer."""
Scores = npt.NDArray[np.float64]


class Scorer:
    """Log-probabilities of labels after prompts that share a prefix."""

    def __init__(self, gguf: Path) -> None:
        source = {"gguf_file": gguf.name}
        self.model = AutoModelForCausalLM.from_pretrained(gguf.parent, **source).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(gguf.parent, **source).backend_tokenizer
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )

    def tokens(self, parts: Sequence[str]) -> list[int]:
        """Each part tokenised by itself, but spaces that end one go with the next, as in sqlax."""
        tokens: list[int] = []
        spaces = ""
        for place, part in enumerate(parts):
            text = spaces + (part if place + 1 == len(parts) else part.rstrip(" "))
            spaces = part[len(part.rstrip(" ")) :]
            tokens += self.tokenizer.encode(text, add_special_tokens=False).ids
        return tokens

    def score(self, prefix: Parts, prompts: Sequence[Parts], labels: Sequence[str]) -> Scores:
        """One row a prompt, one column a label."""
        bank = self.tokens(prefix)
        wanted = [self.tokens([label]) for label in labels]
        rows = [
            (i, j, self.tokens(prompt), label)
            for i, prompt in enumerate(prompts)
            for j, label in enumerate(wanted)
        ]
        if all(len(label) == 1 for label in wanted):
            rows = [row for row in rows if row[1] == 0]
        rows.sort(key=lambda row: len(row[2]) + len(row[3]))
        out = np.zeros((len(prompts), len(labels)))
        for at in range(0, len(rows), 16):
            self._fill(out, bank, rows[at : at + 16], wanted)
        return out

    def _fill(self, out: Scores, bank: list[int], rows: list[Any], labels: list[Any]) -> None:
        one_pass = all(len(label) == 1 for label in labels)
        texts = [prompt + label[:-1] for _, _, prompt, label in rows]
        width = max(map(len, texts))
        ids = torch.tensor([text + [0] * (width - len(text)) for text in texts])
        logits = torch.log_softmax(self._logits(bank, ids), -1)
        for k, (i, j, prompt, label) in enumerate(rows):
            last = len(prompt) - 1
            if one_pass:
                out[i] = [logits[k, last, token[0]].item() for token in labels]
            else:
                out[i, j] = sum(logits[k, last + n, t].item() for n, t in enumerate(label))

    def _logits(self, bank: list[int], ids: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return self._forward(bank, ids)

    def _forward(self, bank: list[int], ids: torch.Tensor) -> torch.Tensor:
        if not bank:
            return self.model(input_ids=ids).logits
        if getattr(self, "_bank", None) != bank:
            cache = DynamicCache(config=self.model.config)
            self.model.model(input_ids=torch.tensor([bank]), past_key_values=cache)
            self._bank, self._layers = bank, [(at.keys, at.values) for at in cache.layers]
        cache = DynamicCache(config=self.model.config)
        for layer, (keys, values) in enumerate(self._layers):
            many = (len(ids), -1, -1, -1)
            cache.update(keys.expand(many), values.expand(many), layer)
        return self.model(input_ids=ids, past_key_values=cache).logits


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Rank correlation, ties at their mean rank."""

    def ranks(values: Sequence[float]) -> Scores:
        _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(sizes) - (sizes + 1) / 2)[group]

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def load(name: str) -> list[dict[str, Any]]:
    """One of the development sets beside this file."""
    rows: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text())
    return rows


def banked(form: Form, separator: str, bank: Sequence[tuple[str, str, str]]) -> Parts:
    """The solved examples of `bank`, laid out as `form` says, as one constant text."""
    return ["".join(p for q, x, a in bank for p in (*form(q, x), f" {a}", separator))]


def classify(scorer: Scorer, settings: dict[str, Any]) -> None:
    """Sentiment of the reviews, and the topics, as one of the labels."""
    groups = defaultdict(list)
    for row in load("reviews"):
        label = "positive" if row["positive"] else "negative"
        groups["sentiment", "positive", "negative"].append((row["text"], label))
    for row in load("topics"):
        groups[row["task"], *row["labels"]].append((row["text"], row["label"]))

    def form(task: str, text: str) -> Parts:
        return ["Text: ", text, f"\n{task[:1].upper()}{task[1:]}:"]

    banks: list[list[tuple[str, str, str]]] = [[], settings["classify_bank"]]
    for bank in banks:
        prefix = banked(form, "\n\n", bank)
        for (task, *labels), rows in groups.items():
            texts = [x for x, _ in rows] + settings["neutral"]
            answers = scorer.score(
                prefix, [form(task, x) for x in texts], [f" {a}" for a in labels]
            )
            bias = answers[len(rows) :].mean(0)
            truth = [labels.index(label) for _, label in rows]
            right = (answers[: len(rows)] - bias).argmax(1) == truth
            print(f"bank of {len(bank)}: {task:36} accuracy {right.mean():.3f}")


def scale(scorer: Scorer, settings: dict[str, Any]) -> None:
    """The expected rating against the written one."""
    question = "How satisfied is the writer, from 1 to 5?"
    rows = load("ratings")
    forms: dict[str, Form] = {
        "text, question": lambda q, x: ["Text: ", x, f"\n{q}\nRating:"],
        "question, text": lambda q, x: [f"{q} ", x, "\nRating:"],
    }
    for name, form in forms.items():
        bank = [(question, text, rating) for text, rating in settings["scale_bank"]]
        prefix = banked(form, "\n\n", bank)
        prompts = [form(question, row["text"]) for row in rows]
        answers = scorer.score(prefix, prompts, [f" {n}" for n in range(1, 6)])
        share = np.exp(answers - answers.max(1, keepdims=True))
        expected = share @ np.arange(1, 6) / share.sum(1)
        print(f"{name:42} Spearman {spearman(expected, [row['rating'] for row in rows]):.3f}")


def main(arguments: Sequence[str]) -> None:
    """Measure the layouts of one task, or of all."""
    tasks = {"classify": classify, "scale": scale}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--task", choices=tasks)
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    scorer = Scorer(chosen.gguf)
    settings = json.loads((HERE / "banks.json").read_text())
    for name, measure in tasks.items():
        if chosen.task in (None, name):
            measure(scorer, settings)


if __name__ == "__main__":
    main(sys.argv[1:])
