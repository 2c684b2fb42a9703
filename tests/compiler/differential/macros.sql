-- What the fake model answers, for DuckDB: the same text runs on both.
CREATE MACRO ai_if(x) AS CASE WHEN x IS NULL OR contains(x, 'odd') THEN NULL ELSE contains(x, 'good') END;
CREATE MACRO ai_classify(x, labels) AS CASE WHEN ai_if(x) IS NULL THEN NULL WHEN ai_if(x) THEN labels[1] ELSE labels[2] END;
CREATE MACRO ai_score(x) AS CAST(ai_if(x) AS DOUBLE);
