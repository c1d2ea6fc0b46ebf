"""Placeholder module replaced below."""
