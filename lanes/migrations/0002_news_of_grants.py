"""Every change of a permission, by whatever path, is announced on the `lanewise` channel when it commits.

Open pages then ask again what they may show. Triggers rather than code, so that the admin, a shell and plain SQL
are all heard. Equal notices within one transaction are one notice.
"""

from django.db import migrations

TABLES = (
    "lanes_laneuserobjectpermission",
    "lanes_lanegroupobjectpermission",
    "lanes_agentprofileuserobjectpermission",
    "lanes_agentprofilegroupobjectpermission",
    "lanes_wall",
    "lanes_wall_lanes",
    "lanes_wall_users",
    "lanes_wall_teams",
    "lanes_wall_profiles",
    "lanes_membership",
    "lanes_user_groups",
    "lanes_agentprofile",
)
# Whole-row updates of these carry sign-in times and the like: only what decides a permission counts.
COLUMNS = {"lanes_user": "is_active", "lanes_tenant": "is_active", "lanes_apikey": "revoked_at, expires_at"}

FUNCTION = """
create function lanes_announce_grant() returns trigger language plpgsql as $$
begin
  perform pg_notify('lanewise', '{"kind":"grant"}');
  return null;
end $$
"""


def triggers() -> list[migrations.RunSQL]:
    made = []
    for table in TABLES:
        made.append((table, f"insert or update or delete or truncate on {table}"))
    for table, columns in COLUMNS.items():
        made.append((table, f"update of {columns} or delete on {table}"))
    return [
        migrations.RunSQL(
            f"create trigger announce_grant after {events} for each statement execute function lanes_announce_grant()",
            f"drop trigger announce_grant on {table}",
        )
        for table, events in made
    ]


class Migration(migrations.Migration):
    dependencies = [("lanes", "0001_initial")]
    operations = [migrations.RunSQL(FUNCTION, "drop function lanes_announce_grant()"), *triggers()]
