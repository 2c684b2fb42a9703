"""Read typed fields out of texts: AI_EXTRACT gives a STRUCT whose values have their types.

The types always hold; whether the values are right is up to the model, and this one is small.
"""

from __future__ import annotations

import sqlax

connection = sqlax.connect(model="smollm2-135m-instruct")
connection.execute(
    """
    CREATE TABLE mail AS
    SELECT * FROM (VALUES
      (1, 'Hello, my parcel 4471 never arrived and I want my 25 euros back.'),
      (2, 'Thank you, the blue kettle works well.')
    ) AS v(id, body)
    """
)
relation = connection.sql(
    """
    SELECT id, fields.wants_refund, fields.parcel
    FROM (
      SELECT id, AI_EXTRACT(body, {'wants_refund': 'BOOLEAN', 'parcel': 'INTEGER'}) AS fields
      FROM mail
    )
    ORDER BY id
    """
)
relation.show()
