"""A manager that cannot be read without a reader."""

from typing import Any

from django.db import models

from lanes.readers import Reader


class ReaderRequired(RuntimeError):
    """Someone read a scoped table without saying who reads."""


class ScopedManager(models.Manager):
    """`Model.objects.visible_to(reader)` is the only way in; the plain manager is `Model.everything`.

    `everything` is for writes that follow a check, for jobs and for the admin; a test keeps it out of api/ and
    web/.
    """

    def get_queryset(self) -> Any:
        raise ReaderRequired(f"{self.model.__name__}.objects is read through visible_to(reader).")

    def visible_to(self, reader: Reader) -> models.QuerySet:
        return models.QuerySet(self.model, using=self._db).filter(
            tenant_id=reader.tenant_id, lane_id__in=list(reader.readable)
        )


class Scoped(models.Model):
    """Rows that belong to a tenant and a lane."""

    everything = models.Manager()
    objects = ScopedManager()

    class Meta:
        abstract = True
        default_manager_name = "everything"
        base_manager_name = "everything"


class TenantManager(ScopedManager):
    """As ScopedManager, for what every member of a tenant may know."""

    def visible_to(self, reader: Reader) -> models.QuerySet:
        return models.QuerySet(self.model, using=self._db).filter(tenant_id=reader.tenant_id)


class AdminsManager(ScopedManager):
    """What no reader meets."""

    def visible_to(self, reader: Reader) -> models.QuerySet:
        return models.QuerySet(self.model, using=self._db).none()


class OfAdmins(Scoped):
    """Rows that a tenant's admins set up and that nobody else is told of; the admin's own rules say who meets them."""

    objects = AdminsManager()

    class Meta(Scoped.Meta):
        abstract = True


class OfTenant(Scoped):
    """Rows that belong to a tenant as a whole: nothing in them comes from a lane."""

    objects = TenantManager()

    class Meta(Scoped.Meta):
        abstract = True
