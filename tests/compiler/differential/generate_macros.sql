-- What the model of the test answers: the first pattern that a text holds decides.
CREATE MACRO ai_generate(x) AS CASE
  WHEN x IS NULL THEN NULL WHEN contains(x, 'odd') THEN 'maybe' WHEN contains(x, 'good 1') THEN 'fine'
  WHEN contains(x, 'good') THEN 'yes' WHEN contains(x, 'bad') THEN 'poor' WHEN contains(x, 'fine') THEN 'yes'
  WHEN contains(x, 'b') THEN 'no' WHEN contains(x, 'o') THEN 'b' ELSE '' END;
CREATE MACRO ai_if(x) AS CASE ai_generate(x) WHEN 'yes' THEN TRUE WHEN 'no' THEN FALSE END;
