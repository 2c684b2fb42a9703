"""The prompts whose logits are compared with another implementation, made up for this test."""

from __future__ import annotations

from pathlib import Path
from random import Random

PROMPTS = (
    "The capital of France is",
    "Review: I laughed from the first scene to the last.\nSentiment:",
    "Q: What is 12 + 30?\nA:",
    "def add(a, b):\n    return",
    "<|im_start|>user\nIs the sky green?<|im_end|>\n<|im_start|>assistant\n",
    "\u8fd9\u90e8\u7535\u5f71\u5f88\u597d\u770b \U0001f600. In English:",
    "x",
    "Once upon a time, in a village by the sea, there lived a clockmaker who " * 12 + "said",
)
LABELS = (" positive", " negative")
PROBES = (
    *LABELS, *(" yes", " no", " the", " Paris", " a", " of", "4", "\n", ".", ",", " and"),
    *(" I", " is", "Yes"),
)  # fmt: skip
"""Texts of one token each, whose logits are stored."""

SUBJECTS = ("The film", "This sequel", "The second act", "Her debut", "The remake", "A thriller")
ADVERBS = ("quietly", "rarely", "always", "sadly", "surprisingly", "hardly")
VERBS = ("wins", "drags", "sparkles", "collapses", "wanders", "sings", "stumbles", "glows")
DETAILS = (
    "thanks to its patient camera",
    "under a script that explains too much",
    "because nobody believed in it",
    "with a score to remember",
    "for two very long hours",
    "and never finds a reason to exist",
    "whenever the children are on screen",
    "",
)
ENDINGS = (".", "!", ", and I would see it again.", ", so save your money.", " ...", "; go.")
LAYOUTS = (
    "Review: {}\nSentiment:",
    "{}\nThe reviewer's opinion is",
    "Is this review positive or negative?\n{}\nAnswer: it is",
)
REVIEWS = 500
SUMMARIES = 200


def reviews() -> list[str]:
    """Prompts that ask for the sentiment of made-up reviews, always the same ones."""
    random = Random(2)
    parts = (SUBJECTS, ADVERBS, VERBS, DETAILS)
    return [
        random.choice(LAYOUTS).format(
            " ".join(filter(None, (random.choice(part) for part in parts))) + random.choice(ENDINGS)
        )
        for _ in range(REVIEWS)
    ]


def summary_prompts(data: Path) -> list[str]:
    """Prompts for a sentence about 200 snippets of rt_polarity, always the same ones."""
    sides = [_snippets(data / "rt_polarity" / f"rt-polarity.{side}") for side in ("pos", "neg")]
    mixed = [text for pair in zip(*sides, strict=False) for text in pair]
    return [f"Review: {text}\nOne sentence summary:" for text in mixed[:SUMMARIES]]


def _snippets(file: Path) -> list[str]:
    lines = file.read_text("latin-1").split("\n")
    texts = [line.strip() for line in lines if line.strip()]
    Random(7).shuffle(texts)
    return texts
