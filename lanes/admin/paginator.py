"""Pages without counting whole tables."""

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator


class BoundedPaginator(Paginator):
    """Counts at most `bound` rows of what it is given; pages end there, and the page says so."""

    def __init__(self, object_list: Any, per_page: Any, bound: int, **more: Any) -> None:
        super().__init__(object_list, per_page, **more)
        self.bound = bound

    @cached_property
    def _counted(self) -> int:
        if not hasattr(self.object_list, "query"):
            return len(self.object_list)
        return self.object_list.order_by().values("pk")[: self.bound + 1].count()

    @cached_property
    def count(self) -> int:  # type: ignore[override]
        return min(self._counted, self.bound)

    @property
    def more(self) -> bool:
        """Whether there are rows beyond the bound."""
        return self._counted > self.bound
