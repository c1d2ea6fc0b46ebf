"""The admin app with Lanewise's own site (lanes.admin_site) in place of Django's."""

from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class AdminConfig(DjangoAdminConfig):
    default_site = "lanes.admin_site.LanewiseAdminSite"
