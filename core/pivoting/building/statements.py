"""The statements of a build, in the SQL that DuckDB and Spark both read.

Counts are integers, in millionths, since a label out of a forest may count for less
than one; probabilities are summed as integers of 10^-16. So every sum is exact and
the same in any order, on any engine, and after any interruption. Names:

    pairs    corpus, f, e, labels, n, loose    label sets not yet taken apart
    counts   corpus, f, e, label, n, loose     label 0: whatever the label

    p(f | e, s)  = n / of_e      of_e: sum over f, in one corpus     (equation 4)
    p(e' | f, s) = n / of_f      of_f: sum over e, likewise
    p(e' | e, s) = sum over corpora and f of their product           (equations 5, 7)

The last statements of a build: names to words, and the files that are read.

paraphrases  phrase, label, paraphrase, p, pivots, place     label '': any
heads        phrase, label, candidates, mass, lost, next, corpora
pivots       phrase, label, corpus, foreign_phrase, n, of_e, of_f, loose
places       phrase, file, pair_id, start, end                   examples
"""

ONE = 1_000_000  # one occurrence
SCALE = "1e16"  # a probability of one


def shared_labels() -> str:
    """Label sets without what only one English phrase has: it has no paraphrase."""
    return """
        SELECT DISTINCT s.labels, s.label, s.weight FROM sets s
        JOIN (SELECT label FROM sets GROUP BY label HAVING min(low) < max(high)) l
        ON s.label = l.label"""


def pair_counts(bucket: int) -> str:
    """The chunks' counts of one bucket of foreign phrases, added up."""
    return f"""
        SELECT corpus, f, e, labels, CAST(sum(n) AS BIGINT) AS n,
            CAST(sum(loose) AS BIGINT) AS loose
        FROM chunks WHERE bucket = {bucket} GROUP BY corpus, f, e, labels"""


def labelled() -> str:
    """Each pair once without a label, and once for each of its labels."""
    return f"""
        SELECT corpus, f, e, CAST(0 AS BIGINT) AS label, n * {ONE} AS n, loose
        FROM pairs UNION ALL
        SELECT p.corpus, p.f, p.e, s.label, p.n * s.weight AS n, p.loose
        FROM pairs p JOIN shared s ON p.labels = s.labels"""


def counted() -> str:
    return f"""
        SELECT corpus, f, e, label, CAST(sum(n) AS BIGINT) AS n,
            CAST(sum(loose) AS BIGINT) AS loose
        FROM ({labelled()}) every GROUP BY corpus, f, e, label"""


def joinable(buckets: int) -> str:
    """Counts of foreign phrases that more than one English phrase goes with."""
    return f"""
        SELECT c.e & {buckets - 1} AS bucket, c.corpus, c.f, c.e, c.label, c.n,
            c.loose, m.of_f
        FROM counts c JOIN (
            SELECT corpus, f, label, CAST(sum(n) AS BIGINT) AS of_f FROM counts
            GROUP BY corpus, f, label HAVING count(*) > 1) m
        ON c.corpus = m.corpus AND c.f = m.f AND c.label = m.label
        ORDER BY bucket, c.e, c.label, c.corpus, c.f"""


def english_sums(buckets: int) -> str:
    """A bucket of foreign phrases' contribution to the totals of English ones."""
    return f"""
        SELECT e & {buckets - 1} AS bucket, corpus, e, label,
            CAST(sum(n) AS BIGINT) AS n
        FROM counts GROUP BY corpus, e, label ORDER BY bucket, e, label, corpus"""


def totals(bucket: int) -> str:
    """``of_e`` of all phrases of one bucket that are in any join."""
    return f"""
        SELECT s.corpus, s.e, s.label, CAST(sum(s.n) AS BIGINT) AS of_e
        FROM sums s JOIN (
            SELECT DISTINCT e, label FROM joinable WHERE bucket = {bucket}) w
        ON s.e = w.e AND s.label = w.label
        WHERE s.bucket = {bucket} GROUP BY s.corpus, s.e, s.label"""


def joined(bucket: int, buckets: int) -> str:
    """Joinable counts of one bucket of English phrases with both totals."""
    return f"""
        SELECT j.f & {buckets - 1} AS bucket, j.corpus, j.f, j.e, j.label, j.n,
            j.loose, j.of_f, t.of_e
        FROM joinable j JOIN totals t
        ON j.corpus = t.corpus AND j.e = t.e AND j.label = t.label
        WHERE j.bucket = {bucket}
        ORDER BY bucket, j.f, j.corpus, j.label, j.e"""


def pivots(bucket: int) -> str:
    """All joins on one bucket of foreign phrases."""
    return f"""
        SELECT corpus, f, e, label, n, of_f, of_e FROM joined
        WHERE bucket = {bucket}"""


def kept(widest: int) -> str:
    """The English phrases that a foreign one leads to, by place; ``widest`` 0: all."""
    return f"""
        SELECT corpus, f, e, label, n, of_f, place FROM (
            SELECT corpus, f, e, label, n, of_f, row_number() OVER (
                PARTITION BY corpus, f, label ORDER BY n DESC, e) AS place
            FROM pivots) placed
        WHERE {widest} = 0 OR place <= {widest + 1}"""


def terms(widest: int, buckets: int, *, wanted: bool) -> str:
    """Equations 5 and 7 over one bucket of foreign phrases."""
    only = "JOIN wanted w ON w.e = a.e" if wanted else ""
    share = "CAST(a.n AS DOUBLE) / a.of_e * (CAST(b.n AS DOUBLE) / b.of_f)"
    return f"""
        SELECT a.e & {buckets - 1} AS bucket, a.e AS e1, a.label, b.e AS e2,
            CAST(sum(CAST(floor({share} * {SCALE}) AS BIGINT)) AS BIGINT) AS p,
            count(*) AS pivots
        FROM pivots a JOIN kept b
        ON a.corpus = b.corpus AND a.f = b.f AND a.label = b.label {only}
        WHERE a.e <> b.e AND ({widest} = 0 OR b.place <= {widest})
        GROUP BY a.e, a.label, b.e ORDER BY bucket, e1, a.label, e2"""


def bounds(widest: int, buckets: int, *, wanted: bool) -> str:
    """The maximum by which omitted phrases can have lowered any probability.

    English phrases beyond ``widest`` of a foreign phrase were left out; none of them
    has more than the first of these.
    """
    only = "JOIN wanted w ON w.e = a.e" if wanted else ""
    share = "CAST(a.n AS DOUBLE) / a.of_e * (CAST(b.n AS DOUBLE) / b.of_f)"
    return f"""
        SELECT a.e & {buckets - 1} AS bucket, a.e AS e1, a.label,
            CAST(sum(CAST(ceil({share} * {SCALE}) AS BIGINT)) AS BIGINT) AS lost
        FROM pivots a JOIN kept b
        ON a.corpus = b.corpus AND a.f = b.f AND a.label = b.label {only}
        WHERE {widest} > 0 AND b.place = {widest + 1}
        GROUP BY a.e, a.label ORDER BY bucket, e1, a.label"""


def summed(bucket: int) -> str:
    """Probabilities of one bucket of English phrases, over all foreign ones."""
    return f"""
        SELECT e1, label, e2, CAST(sum(p) AS BIGINT) AS p,
            CAST(sum(pivots) AS BIGINT) AS pivots
        FROM terms WHERE bucket = {bucket} GROUP BY e1, label, e2"""


def ranked(best: int) -> str:
    """The ``best`` of each phrase and label, and the next, which is not shown."""
    return f"""
        SELECT e1, label, e2, p, pivots, place FROM (
            SELECT e1, label, e2, p, pivots, row_number() OVER (
                PARTITION BY e1, label ORDER BY p DESC, e2) AS place
            FROM summed) placed
        WHERE place <= {best + 1}"""


def heads(bucket: int, best: int) -> str:
    """A row a phrase and label: how many there are, what was lost, what comes next."""
    return f"""
        SELECT s.e1, s.label, s.candidates, s.mass,
            coalesce(l.lost, 0) AS lost, coalesce(n.p, 0) AS next, t.corpora
        FROM (SELECT e1, label, count(*) AS candidates,
                CAST(sum(p) AS BIGINT) AS mass FROM summed GROUP BY e1, label) s
        JOIN (SELECT e, label, count(*) AS corpora FROM totals
                GROUP BY e, label) t ON t.e = s.e1 AND t.label = s.label
        LEFT JOIN (SELECT e1, label, CAST(sum(lost) AS BIGINT) AS lost FROM bounds
                WHERE bucket = {bucket} GROUP BY e1, label) l
            ON l.e1 = s.e1 AND l.label = s.label
        LEFT JOIN (SELECT e1, label, p FROM ranked WHERE place = {best + 1}) n
            ON n.e1 = s.e1 AND n.label = s.label"""


SPELLED = ("english", "foreign", "places")
FINISHED = ("paraphrases", "heads", "pivots", "places")
_EXAMPLES = 3


def spelled(bucket: int) -> dict[str, str]:
    """The words of names that are in any join, of one bucket."""
    english = f"""
        SELECT w.e, min(w.text) AS text FROM english w
        JOIN (SELECT DISTINCT e FROM joined) j ON w.e = j.e
        WHERE w.bucket = {bucket} GROUP BY w.e ORDER BY w.e"""
    foreign = f"""
        SELECT w.f, min(w.text) AS text FROM foreign_words w
        JOIN (SELECT DISTINCT f FROM joinable) j ON w.f = j.f
        WHERE w.bucket = {bucket} GROUP BY w.f ORDER BY w.f"""
    places = f"""
        SELECT e, file, pair_id, first, last FROM (
            SELECT w.e, w.file, w.pair_id, w.first, w.last, row_number() OVER (
                PARTITION BY w.e ORDER BY w.pair_id, w.file, w.first) AS place
            FROM english w JOIN (SELECT DISTINCT e FROM joined) j ON w.e = j.e
            WHERE w.bucket = {bucket}) placed
        WHERE place <= {_EXAMPLES} ORDER BY e, place"""
    return {"english": english, "foreign": foreign, "places": places}


def finished() -> dict[str, str]:
    """The four files of one bucket of English phrases, sorted for reading."""
    label = "coalesce(l.text, '') AS label"
    paraphrases = f"""
        SELECT a.text AS phrase, {label}, b.text AS paraphrase,
            r.p / {SCALE} AS p, r.pivots, r.place
        FROM ranked r JOIN mine a ON a.e = r.e1 JOIN english b ON b.e = r.e2
        LEFT JOIN labels l ON l.label = r.label
        ORDER BY phrase, label, r.place"""
    heads = f"""
        SELECT a.text AS phrase, {label}, h.candidates, h.mass / {SCALE} AS mass,
            h.lost / {SCALE} AS lost, h.next / {SCALE} AS next, h.corpora
        FROM heads h JOIN mine a ON a.e = h.e1
        LEFT JOIN labels l ON l.label = h.label
        ORDER BY phrase, label"""
    pivots = f"""
        SELECT a.text AS phrase, {label}, c.text AS corpus,
            f.text AS foreign_phrase, CAST(j.n AS DOUBLE) / {ONE} AS n,
            CAST(j.of_e AS DOUBLE) / {ONE} AS of_e,
            CAST(j.of_f AS DOUBLE) / {ONE} AS of_f, j.loose
        FROM joined j JOIN mine a ON a.e = j.e
        JOIN (SELECT DISTINCT corpus, text FROM corpora) c ON c.corpus = j.corpus
        JOIN foreign_words f ON f.f = j.f
        LEFT JOIN labels l ON l.label = j.label
        ORDER BY phrase, label, corpus, foreign_phrase"""
    places = """
        SELECT a.text AS phrase, p.file, p.pair_id, p.first, p.last
        FROM places p JOIN mine a ON a.e = p.e ORDER BY phrase, p.pair_id"""
    return {
        "paraphrases": paraphrases,
        "heads": heads,
        "pivots": pivots,
        "places": places,
    }
