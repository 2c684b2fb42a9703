"""From hidden states to label scores: only rows that are asked about cost anything."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models import label_scores


@pytest.mark.parametrize(("used", "computed"), [(0, 0), (1, 16), (16, 16), (17, 32), (40, 40)])
def test_the_vocabulary_is_scored_for_used_rows_a_few_at_a_time(
    used: int, computed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_scores, "VOCABULARY_BYTES", 0)
    draw = np.random.default_rng(0)
    hidden = draw.normal(size=(40, 1, 8)).astype(np.float32)
    embedding = draw.normal(size=(50, 8)).astype(np.float32)
    given = jnp.asarray(hidden), jnp.asarray(embedding), jnp.int32(used)
    total = np.asarray(label_scores.log_normaliser(*given))[:, 0]
    wanted = np.logaddexp.reduce(hidden[:, 0] @ embedding.T, axis=1)
    np.testing.assert_allclose(total[:computed], wanted[:computed], rtol=1e-5)
    assert not total[computed:].any()
