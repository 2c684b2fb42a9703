"""Ask what a query will cost before it runs: rows, model calls, tokens, FLOPs and bytes."""

from __future__ import annotations

import sqlax

connection = sqlax.connect(model="smollm2-135m-instruct")
connection.execute(
    "CREATE TABLE notes AS SELECT i AS id, 'Note ' || i AS text FROM range(1000) t(i)"
)
relation = connection.sql(
    "SELECT id FROM notes WHERE id >= 990 AND AI_IF(('Is this urgent? ', text))"
)
print(relation.explain())
print(relation.explain(analyze=True))
