"""The tools and their actions: a class an action."""
