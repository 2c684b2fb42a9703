"""What generated text may be: automata over bytes, lifted to a model's tokens.

Types, regular expressions, JSON schemas, choices and LIKE patterns become expressions over
characters, an expression becomes one automaton over bytes, and that one becomes, with the bytes
of every token, an automaton over tokens: arrays that the decode loop reads.
"""

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, padded
from sqlax.runtime.constrain.constraint import token_automaton
from sqlax.runtime.constrain.expression import ANYTHING, Expression, choice
from sqlax.runtime.constrain.json_schema import json_expression
from sqlax.runtime.constrain.like import like
from sqlax.runtime.constrain.masks import advance, advance_along, allowed, draft_masks, forced
from sqlax.runtime.constrain.match import matches
from sqlax.runtime.constrain.regex import Flags, regex, regex_anywhere
from sqlax.runtime.constrain.sql_type import parse_columns, parse_type
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.constrain.text import text
from sqlax.runtime.constrain.token_automaton import NEVER, START, TokenAutomaton
from sqlax.runtime.constrain.type_schema import schema_of_type, text_of_type
from sqlax.runtime.constrain.vocabulary import Vocabulary, vocabulary_of

__all__ = [
    "ANYTHING",
    "NEVER",
    "START",
    "ByteAutomaton",
    "Expression",
    "Flags",
    "TokenAutomaton",
    "Vocabulary",
    "advance",
    "advance_along",
    "allowed",
    "byte_automaton",
    "choice",
    "draft_masks",
    "forced",
    "json_expression",
    "like",
    "matches",
    "padded",
    "parse_columns",
    "parse_type",
    "regex",
    "regex_anywhere",
    "schema_of_type",
    "text",
    "text_of_type",
    "token_automaton",
    "vocabulary_of",
]
