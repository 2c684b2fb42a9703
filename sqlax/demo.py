"""What `sqlax demo` runs: one query over sixty short film reviews that come with the package."""

from __future__ import annotations

from importlib.resources import as_file, files

import sqlax

QUERY = """\
SELECT title, COUNT(*) AS positive
FROM reviews
WHERE year > 2010 AND AI_IF(('Is this review positive? ', text))
GROUP BY title
ORDER BY positive DESC, title
LIMIT 5"""


def run_demo(model: str = "smollm2-135m-instruct") -> None:
    """Load the bundled reviews, run the query, and print it, its answer and its measured plan."""
    with sqlax.connect(model=model, progress=True) as connection:
        with as_file(files("sqlax") / "data" / "reviews.csv") as reviews:
            connection.execute("CREATE TABLE reviews AS FROM read_csv(?)", [str(reviews)])
        print(QUERY, end="\n\n")
        relation = connection.sql(QUERY)
        relation.show()
        print(relation.explain(analyze=True))
