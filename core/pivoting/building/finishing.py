"""The last statements of a build: names to words, and the files that are read.

paraphrases  phrase, label, paraphrase, p, pivots, place     label '': any
heads        phrase, label, candidates, mass, lost, next, corpora
pivots       phrase, label, corpus, foreign_phrase, n, of_e, of_f, loose
places       phrase, file, pair_id, start, end                   examples
"""

from core.pivoting.building.statements import ONE, SCALE

__all__ = ["FINISHED", "SPELLED", "finished", "spelled"]

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
