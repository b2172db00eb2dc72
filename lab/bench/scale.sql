-- The rows of lab.bench.scale, a range of i at a time: :first to :last. Sections are named
-- by lines "-- name"; :words are filled in by lab/bench/scale_data.py.

-- functions
CREATE FUNCTION pg_temp.noun(i bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT ('{nurse,window,door,house,river,bridge,letter,teacher,garden,lamp}'::text[])
    [1 + i % 10] $$;
CREATE FUNCTION pg_temp.verb(i bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT ('{opened,closed,saw,painted,found,crossed,lost,liked,carried,moved}'::text[])
    [1 + i % 10] $$;
CREATE FUNCTION pg_temp.code(kind text, i bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT substr(md5(:seed || kind || i), 1, 16) $$;
CREATE FUNCTION pg_temp.words(i bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT 'The ' || pg_temp.noun(i) || ' ' || pg_temp.verb(i / 7) || ' the '
    || pg_temp.noun(i / 10) || ' near item' || i || ' .' $$;
CREATE FUNCTION pg_temp.tree(i bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT '(S (NP (DT The) (NN ' || pg_temp.noun(i) || ')) (VP (VBD ' || pg_temp.verb(i / 7)
    || ') (NP (DT the) (NN ' || pg_temp.noun(i / 10) || ')) (PP (IN near) (NN item' || i
    || '))) (. .))' $$;

-- sentences
INSERT INTO annotator_sentence
  (code, ref, text, tokens, n_tokens, language, columns, key, corpus_id)
SELECT pg_temp.code('s', i), 's' || i, pg_temp.words(i),
  replace(pg_temp.words(i), ' ', E'\n'), 8, 'en', '{}', md5('s' || i), :corpus
FROM generate_series(:first, :last) AS i;

-- pairs
INSERT INTO annotator_pair (code, ref, source_id, target_id, text, label, meta,
  n_source, n_target, state, has_parse, key, corpus_id)
SELECT pg_temp.code('p', i), 'p' || i, s.id, t.id, s.text || E'\n' || t.text,
  ('{paraphrase,other,""}'::text[])[1 + i % 3], '{}', 5 + i % 30, t.n_tokens,
  ('{none,proposed,started,done}'::text[])[1 + i / 3 % 4], i / 12 % 2 = 0,
  md5('p' || i), :corpus
FROM generate_series(:first, :last) AS i
JOIN annotator_sentence s ON s.corpus_id = :corpus AND s.ref = 's' || i
JOIN annotator_sentence t ON t.corpus_id = :corpus AND t.ref = 's' || 1 + i * 7 % :pairs;

-- parses
INSERT INTO annotator_parse (code, sentence_id, kind, origin, engine, version, rank,
  score, text, digest, meta, created_at)
SELECT pg_temp.code('t', 100 * i + n), s.id, 'constituency',
  CASE n WHEN 1 THEN 'gold' ELSE 'engine' END, CASE n WHEN 1 THEN '' ELSE 'english' END,
  CASE n WHEN 1 THEN '' ELSE '1' END, n, -n, pg_temp.tree(i), md5('t' || i || n), '{}',
  now()
FROM generate_series(:first, :last) AS i
JOIN annotator_sentence s ON s.corpus_id = :corpus AND s.ref = 's' || i,
  generate_series(1, :parses) AS n;

-- instances
INSERT INTO annotator_instance (campaign_id, sentence, start, "end", phrase, key)
SELECT :campaign, pg_temp.words(i), 4, 4 + length(pg_temp.noun(i)), pg_temp.noun(i),
  md5('i' || i)
FROM generate_series(:first, :last) AS i;

-- items
INSERT INTO annotator_item (code, campaign_id, batch_id, number, instance_id, ref,
  paraphrase, kind, gold, why, need, n_extra, n_taken, n_done, is_withdrawn)
SELECT pg_temp.code('j', j), :campaign, :batch, j, x.id, 'r' || j,
  pg_temp.noun(j / 3) || ' ' || j, 'main', '{}', '', :each, 0, :each, :each, false
FROM generate_series(:first, :last) AS i
JOIN annotator_instance x ON x.campaign_id = :campaign AND x.key = md5('i' || i),
  LATERAL (SELECT :each * (i - 1) + n AS j FROM generate_series(0, :each - 1) AS n) AS js;

-- credits
INSERT INTO annotator_credit (item_id, condition_id, rank, score)
SELECT item.id, :condition + item.number % 2, 1, 0.5
FROM annotator_item item
WHERE item.batch_id = :batch
  AND item.number BETWEEN :each * (:first - 1) AND :each * :last - 1;

-- judgments
WITH made AS (
  INSERT INTO annotator_judgment (code, item_id, participant_id, round, state, fills,
    lease_until, values, comment, skip_reason, flag, active_ms, revision, is_late, mode,
    guideline, saved_at)
  SELECT pg_temp.code('a', 100::bigint * item.number + n), item.id,
    :person + (item.number * 7 + n) % :people, 1, 'done', true, now(),
    jsonb_build_object('meaning', 1 + (item.number + n / 2) % 5,
      'grammar', 1 + (item.number / 5 + n / 3) % 5),
    '', '', CASE WHEN item.number % 50000 = 0 AND n = 0 THEN 'typo' ELSE '' END,
    4000 + n, 1, false, 'single', 0, now() - (item.number % 90) * interval '1 day'
  FROM annotator_item item, generate_series(0, :each - 1) AS n
  WHERE item.batch_id = :batch
    AND item.number BETWEEN :each * (:first - 1) AND :each * :last - 1
  RETURNING id, values, saved_at, participant_id)
INSERT INTO annotator_judgmentevent (judgment_id, uuid, verb, at, revision, values, note,
  active_ms, guideline, mode)
SELECT id, gen_random_uuid(), 'save', saved_at, 1, values, '', 4000, 0, 'single' FROM made;

-- tallies
INSERT INTO annotator_tally (participant_id, batch_id, day, n_done, n_skipped, active_ms)
SELECT participant_id, :batch, saved_at::date, count(*), 0, sum(active_ms)
FROM annotator_judgment WHERE participant_id BETWEEN :person AND :person + :people - 1
GROUP BY participant_id, saved_at::date;
