"""An operation's time goes to the part of the model whose scope it stands in."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.parts import OTHER, part_of, parts_of_run


def test_parts_of_a_loop() -> None:
    def turn(_: int, x: jax.Array) -> jax.Array:
        with jax.named_scope("projection"):
            return x @ x

    program = jax.jit(lambda x: jax.lax.fori_loop(0, 3, turn, x) + 1)
    x = jnp.zeros((128, 128), jnp.float32)
    compiled = program.lower(x).compile()
    parts = parts_of_run(lambda: compiled(x).block_until_ready(), str(compiled.as_text()))
    assert set(parts) <= {"projection", OTHER}
    assert parts["projection"] > 0


def test_the_innermost_scope_counts() -> None:
    assert part_of("jit(step)/while/body/attention/norm/mul") == "norm"
    assert part_of("jit(step)/while/body/add") == OTHER
