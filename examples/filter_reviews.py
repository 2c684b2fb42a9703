"""Keep the rows that a language model says yes to: AI_IF in WHERE."""

from __future__ import annotations

import sqlax

connection = sqlax.connect(model="smollm2-135m-instruct")
connection.execute("CREATE TABLE reviews (title VARCHAR, stars INTEGER, text VARCHAR)")
connection.execute(
    """
    INSERT INTO reviews VALUES
      ('Salt and Static', 1, 'A dull film with a dreadful ending.'),
      ('Salt and Static', 5, 'Gripping, clever and very well acted.'),
      ('Hotel Umbra', 4, 'A brilliant ghost story that I loved.'),
      ('Hotel Umbra', 2, NULL)
    """
)

# The model never sees a row that `stars > 1` removes, and a NULL text is neither yes nor no.
relation = connection.sql(
    """
    SELECT title, text
    FROM reviews
    WHERE stars > 1 AND AI_IF(('Is this review positive? ', text))
    """
)
relation.show()
