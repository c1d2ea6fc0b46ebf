"""find: one ranked page fused from structure, words, record vectors and window vectors, and the walk."""

from memory.find.engine import find

__all__ = ["find"]
