"""Time and duration terms: a small grammar from words to half-open spans."""
