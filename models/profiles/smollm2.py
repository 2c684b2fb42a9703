"""SmolLM2-135M-Instruct: how it was chosen, and the figures, are in docs/quality.md.

The model hardly reads a question, but it completes a form: without `examples` AI_IF is little
better than chance over questions of several kinds, so give it some.
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

OPINIONS = (
    "An inventive little film with a big heart.",
    "It won me over within ten minutes.",
    "Sharp, generous and very funny.",
    "The strongest work of a fine director.",
    "I would gladly see it again tomorrow.",
    "A quiet triumph.",
    "An empty film with nothing to say.",
    "It lost me within ten minutes.",
    "Lazy, mean and never funny.",
    "The weakest work of a tired director.",
    "I would not sit through it again.",
    "A noisy failure.",
)
"""Opinions of which half lean each way: together they lean no way, in the words of opinions."""

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

PREDICATE_BANK = """\
Is this about cooking? Chop the onions and fry them in butter.
The answer is yes.

Is the sender in a hurry? Take your time, any day this month is fine.
The answer is no.

Does it mention a colour? They talked for hours about the old days.
The answer is no.

Does it mention a colour? She wore a red hat and green shoes.
The answer is yes.

Is this opinion positive? The museum was a joy, I could have stayed all day.
The answer is yes.

Is this opinion positive? The vase arrived in pieces and nobody picks up the phone.
The answer is no.

Is this opinion positive? A tired concert by a band that would rather be elsewhere.
The answer is no.

Is this opinion positive? Light, quick and a pleasure to hold.
The answer is yes.

"""

SCALE_BANK = """\
Text: The coat is lovely and warm, but one button was loose.
How satisfied is the writer, from 1 to 5?
Rating: 4

Text: Broken on arrival, and rude on the phone.
How satisfied is the writer, from 1 to 5?
Rating: 1

Text: Perfect, I could not ask for more.
How satisfied is the writer, from 1 to 5?
Rating: 5

Text: Neither good nor bad, it will do.
How satisfied is the writer, from 1 to 5?
Rating: 3

Text: Mostly dull, with one or two good moments.
How satisfied is the writer, from 1 to 5?
Rating: 2

Text: A wonderful evening from start to finish, thank you!
How satisfied is the writer, from 1 to 5?
Rating: 5

Text: Not bad, but not worth the trip either.
How satisfied is the writer, from 1 to 5?
Rating: 3

Text: Awful. I threw it away.
How satisfied is the writer, from 1 to 5?
Rating: 1

Text: Good value and friendly people, if a bit slow.
How satisfied is the writer, from 1 to 5?
Rating: 4

Text: Weak, with a few nice details.
How satisfied is the writer, from 1 to 5?
Rating: 2

"""

SMOLLM2 = PromptProfile(
    predicate=Layout(
        bank=PREDICATE_BANK,
        after="\nThe answer is",
        example="{prompt}\nThe answer is{answer}.\n\n",
        label=" {label}",
        neutral=OPINIONS,
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
        bank=SCALE_BANK,
        before="Text: ",
        after="\nRating:",
        example="Text: {prompt}\nRating:{answer}\n\n",
        label=" {label}",
    ),
    generate=Layout(
        before="<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by "
        "Hugging Face<|im_end|>\n<|im_start|>user\n",
        after="<|im_end|>\n<|im_start|>assistant\n",
        is_markup=True,
    ),
)
