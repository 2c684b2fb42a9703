"""Compile a query once and run it on new rows: no run after the first traces anything."""

from __future__ import annotations

import time

import sqlax

connection = sqlax.connect(model="smollm2-135m-instruct")
connection.execute("CREATE TABLE inbox (day INTEGER, text VARCHAR)")
connection.execute("INSERT INTO inbox VALUES (1, 'You have won a prize!'), (1, 'Lunch at noon?')")

query = connection.compile(
    "SELECT text, AI_SCORE(('Is this message spam? ', text)) AS spam FROM inbox WHERE day = $day"
)
for day in (1, 2, 3):
    started = time.perf_counter()
    rows = query.run(day=day).fetchall()
    print(f"day {day}: {len(rows)} rows in {time.perf_counter() - started:.2f} s")
    connection.execute(
        "INSERT INTO inbox VALUES (?, 'Cheap watches, buy now!'), (?, 'The report is attached.')",
        [day + 1, day + 1],
    )
