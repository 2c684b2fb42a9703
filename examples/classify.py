"""Sort texts into labels and count them: AI_CLASSIFY in SELECT and GROUP BY."""

from __future__ import annotations

import pandas as pd

import sqlax

tickets = pd.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "text": [
            "I was charged twice for one order.",
            "The app crashes when I open the camera.",
            "Please refund my last payment.",
            "The screen stays black after the update.",
        ],
    }
)

connection = sqlax.connect(model="smollm2-135m-instruct")
connection.register("tickets", tickets)
relation = connection.sql(
    """
    SELECT topic, COUNT(*) AS tickets
    FROM (
      SELECT AI_CLASSIFY(
        text, ['billing', 'technical'], task_description => 'the topic of a support ticket'
      ) AS topic
      FROM tickets
    )
    GROUP BY topic
    ORDER BY tickets DESC, topic
    """
)
relation.show()
