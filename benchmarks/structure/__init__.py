"""Structural retrieval at size: the engine beside a raw SQL floor, sqlite and embedded graph databases."""
