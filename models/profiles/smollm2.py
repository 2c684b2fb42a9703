"""SmolLM2-135M-Instruct: how it was chosen, and the figures, are in docs/quality.md.

The model hardly reads a question, but it completes a labelled form well. So every layout is the
same form: the text on one line, what is asked of it on the next, the answer after it.
"""

from __future__ import annotations

from sqlax.models.profile import Layout, PromptProfile

NEUTRAL = (
    "It is a book.",
    "The package arrived on Tuesday.",
    "There are two of them.",
    "I saw it last week with my brother.",
    "The first part is about a family and the second part is about a journey.",
    "It has some good parts and some bad parts.",
    "He went to the shop and came back.",
    "This one is like the others.",
    "The story is set in a small town.",
    "We stayed for three days.",
    "They changed it in the spring.",
    "It was neither good nor bad.",
)
"""Texts that lean no way, in the place of a row's text when a prompt is calibrated."""

CLASSIFY_BANK = """\
Text: The sky above the bay had not a single cloud.
The colour: blue

Text: Two sisters sell bread from a van.
The size of the company: small

Text: I have nobody to talk to any more.
The mood of the speaker: lonely

Text: Preheat the oven and butter the tin.
The kind of document: recipe

Text: The band was on fire and nobody wanted to go home.
The writer's opinion of the concert: good

Text: Snow lay on the roofs and the pond was frozen.
The season: winter

Text: They ignored us for an hour and then got the order wrong.
The writer's opinion of the service: bad

"""

SMOLLM2 = PromptProfile(
    predicate=Layout(
        before="Text: ",
        after="\nAnswer:",
        example="Text: {prompt}\nAnswer:{answer}\n\n",
        label=" {label}",
        neutral=NEUTRAL,
    ),
    yes="yes",
    no="no",
    classify=Layout(
        bank=CLASSIFY_BANK,
        before="Text: ",
        after="\n{task}:",
        example="Text: {prompt}\n{task}:{answer}\n\n",
        label=" {label}",
        neutral=NEUTRAL,
    ),
    default_task="The category",
    scale=Layout(
        before="Text: ",
        after="\nRating:",
        example="Text: {prompt}\nRating:{answer}\n\n",
        label=" {label}",
    ),
)
