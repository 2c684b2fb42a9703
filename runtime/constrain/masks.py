"""Which tokens may follow, and what state they lead to: pure functions of a batch of rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.constrain.token_automaton import NEVER, TokenAutomaton


def allowed(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
    early: Bool[Array, " rows"] | None = None,
) -> Bool[Array, "rows vocabulary"]:
    """The tokens that may come next, such that the text can still be closed in time.

    A token is allowed where the automaton goes on and an accepting state can be reached with the
    tokens that are left after it. An end token is allowed in accepting states; it is none of the
    tokens that `remaining` counts. Wherever `closing[state] <= remaining`, as it is at the start
    of an output that was not refused and after every allowed token, something is allowed.

    Args:
        automaton: what the rows may hold.
        state: int32, state of each row.
        remaining: int32, tokens that each row may still get.
        early: rows that must not end yet if anything else is allowed.
    """
    in_time = _in_time(automaton, state, remaining)
    ending = _may_end(automaton, state, in_time, early)[:, None] & automaton.ends
    return jnp.take(in_time, automaton.class_of_token, axis=1) | ending


def is_allowed(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
    early: Bool[Array, " rows"],
    token: Int[Array, " rows"],
) -> Bool[Array, " rows"]:
    """Whether `allowed` holds for one token of each row."""
    in_time = _in_time(automaton, state, remaining)
    ending = _may_end(automaton, state, in_time, early) & automaton.ends[token]
    goes_on = jnp.take_along_axis(in_time, automaton.class_of_token[token][:, None], axis=1)
    return goes_on[:, 0] | ending


def _in_time(
    automaton: TokenAutomaton, state: Int[Array, " rows"], remaining: Int[Array, " rows"]
) -> Bool[Array, "rows classes"]:
    """The classes whose tokens lead to where the text can still be closed."""
    following = automaton.next[state]
    after = jnp.where(following >= 0, automaton.closing[following], jnp.int32(NEVER))
    return after < remaining[:, None]


def _may_end(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    in_time: Bool[Array, "rows classes"],
    early: Bool[Array, " rows"] | None,
) -> Bool[Array, " rows"]:
    accepting = automaton.accepting[state]
    return accepting if early is None else accepting & ~(early & jnp.any(in_time, axis=1))


def advance(
    automaton: TokenAutomaton, state: Int[Array, " rows"], token: Int[Array, " rows"]
) -> Int[Array, " rows"]:
    """int32, the state of each row after its token; unchanged by a token that is not allowed."""
    following = automaton.next[state, automaton.class_of_token[token]]
    return jnp.where(following >= 0, following, state)


def forced(automaton: TokenAutomaton, state: Int[Array, " rows"]) -> Int[Array, " rows"]:
    """int32, the one token that each row must get next; -1 where there is a choice or an end."""
    return automaton.forced[state]


def advance_along(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    tokens: Int[Array, "rows drafts"],
    count: Int[Array, " rows"],
) -> Int[Array, " rows"]:
    """int32, the state of each row after the first `count` of its tokens: those accepted."""

    def step(
        state: Int[Array, " rows"], place: tuple[Int[Array, " rows"], Int[Array, ""]]
    ) -> tuple[Int[Array, " rows"], None]:
        token, number = place
        return jnp.where(number < count, advance(automaton, state, token), state), None

    numbers = jnp.arange(tokens.shape[1], dtype=jnp.int32)
    return jax.lax.scan(step, state, (tokens.T, numbers))[0]


def draft_masks(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
    draft: Int[Array, "rows drafts"],
) -> Bool[Array, "rows positions vocabulary"]:
    """`allowed` at every position of a draft and behind its last token, for the bonus token.

    A position behind a token that is not allowed is of no use: its token is rejected before.
    """

    def step(
        carry: tuple[Int[Array, " rows"], Int[Array, " rows"]], token: Int[Array, " rows"]
    ) -> tuple[tuple[Int[Array, " rows"], Int[Array, " rows"]], Bool[Array, "rows vocabulary"]]:
        state, remaining = carry
        mask = allowed(automaton, state, remaining)
        return (advance(automaton, state, token), remaining - 1), mask

    (state, remaining), masks = jax.lax.scan(step, (state, remaining), draft.T)
    bonus = allowed(automaton, state, remaining)
    return jnp.concatenate([masks, bonus[None]]).swapaxes(0, 1)
