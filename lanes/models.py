"""Who may read what: tenants, members, teams, lanes, agent profiles, keys, walls."""

from django.contrib.auth.models import AbstractUser, Group
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

slug_validator = RegexValidator(
    r"^[a-z0-9][a-z0-9_-]{0,99}\Z",
    "Use 1 to 100 lower-case letters, digits, hyphens and underscores, starting with a letter or digit.",
)
# Matter numbers come with dots, capitals and spaces ("MDL No. 2168"); commas and * are how lists of lanes are written.
lane_slug_validator = RegexValidator(
    r"^(?! )[^,*/\\\x00-\x1f\x7f]{1,100}(?<! )\Z",
    "Use 1 to 100 characters without commas, *, slashes or control characters, and no space at either end.",
)


class User(AbstractUser):
    """A person. What a person may read comes from memberships, teams and grants, never from the user row."""


class Tenant(models.Model):
    """An organisation. All data belongs to exactly one."""

    slug = models.CharField(max_length=100, unique=True, validators=[slug_validator])
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person in a tenant. An admin manages lanes, profiles and walls; reading needs grants like anyone's."""

    class Role(models.TextChoices):
        MEMBER = "member", "Member"
        ADMIN = "admin", "Admin"

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    reads_all = models.BooleanField(default=False, help_text="Reads every lane of the tenant, later ones included.")
    writes_all = models.BooleanField(default=False, help_text="Writes every lane of the tenant, later ones included.")
    count_all_lanes = models.BooleanField(default=False, help_text="May ask for counts over all lanes not walled off.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant}"


class Team(models.Model):
    """A named set of people in a tenant; its grants and walls hold for each of them."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=100)
    group = models.OneToOneField(Group, on_delete=models.PROTECT, related_name="team", editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="team_name_once")]

    def __str__(self) -> str:
        return self.name


class Lane(models.Model):
    """A read/write scope inside a tenant: a matter, a client area, a team's notes."""

    id = models.AutoField(primary_key=True)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="lanes")
    slug = models.CharField(max_length=100, validators=[lane_slug_validator])
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    # 1 to 8: the lane keeps its colour for good, so that a page looks the same tomorrow.
    colour = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "slug"], name="lane_slug_once"),
            models.CheckConstraint(condition=Q(colour__gte=1, colour__lte=8), name="lane_colour_range"),
        ]
        default_permissions = ("add", "change", "delete", "view")
        permissions = [
            ("read_lane", "Can read the lane"),
            ("write_lane", "Can write the lane (and read it)"),
            ("manage_lane", "Can manage the lane (and write it)"),
        ]

    def __str__(self) -> str:
        return self.name


class AgentProfile(models.Model):
    """The identity a tool call reads and writes as. Its lane grants are those of its group."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="profiles")
    slug = models.CharField(max_length=100, validators=[slug_validator])
    name = models.CharField(max_length=200)
    group = models.OneToOneField(Group, on_delete=models.PROTECT, related_name="agent_profile", editable=False)
    reads_all = models.BooleanField(default=False, help_text="Reads every lane of the tenant, later ones included.")
    writes_all = models.BooleanField(default=False, help_text="Writes every lane of the tenant, later ones included.")
    count_all_lanes = models.BooleanField(default=False, help_text="May ask for counts over all lanes not walled off.")
    is_active = models.BooleanField(default=True)

    class Meta:
        ordering = ["slug"]
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="profile_slug_once")]
        permissions = [("act_as", "Can act as the profile")]

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """A bearer key. Only its SHA-256 is kept: the key has 256 random bits, so a slow hash would add nothing."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="keys")
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    profiles = models.ManyToManyField(AgentProfile, related_name="keys", blank=True)
    user = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="keys",
        help_text="The person on whose behalf calls are made; this person's walls hold for the key.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Wall(models.Model):
    """Named lanes closed to named people, teams and profiles. A wall beats every grant."""

    class Origin(models.TextChoices):
        WALL = "wall", "Wall"
        # What `revoke` leaves behind for one who reads all lanes; a later `grant` of the lane lifts it again.
        REVOKED = "revoked", "Taken away"

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="walls")
    name = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.WALL, editable=False)
    # Reading is closed always; `write_only` walls (from `revoke --write`) close writing alone.
    write_only = models.BooleanField(default=False, editable=False)
    lanes = models.ManyToManyField(Lane, related_name="walls")
    users = models.ManyToManyField(User, related_name="walls", blank=True)
    teams = models.ManyToManyField(Team, related_name="walls", blank=True)
    profiles = models.ManyToManyField(AgentProfile, related_name="walls", blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class LaneUserObjectPermission(UserObjectPermissionBase):
    """A grant on a lane to a person; it dies with either."""

    content_object = models.ForeignKey(Lane, on_delete=models.CASCADE)

    class Meta(UserObjectPermissionBase.Meta):
        verbose_name = "grant of a lane to a person"
        verbose_name_plural = "grants of lanes to people"


class LaneGroupObjectPermission(GroupObjectPermissionBase):
    """A grant on a lane to a team or an agent profile (through its group)."""

    content_object = models.ForeignKey(Lane, on_delete=models.CASCADE)

    class Meta(GroupObjectPermissionBase.Meta):
        verbose_name = "grant of a lane to a team or profile"
        verbose_name_plural = "grants of lanes to teams and profiles"


class AgentProfileUserObjectPermission(UserObjectPermissionBase):
    """Leave for a person to act as a profile."""

    content_object = models.ForeignKey(AgentProfile, on_delete=models.CASCADE)

    class Meta(UserObjectPermissionBase.Meta):
        verbose_name = "leave for a person to act as a profile"
        verbose_name_plural = "leave for people to act as profiles"


class AgentProfileGroupObjectPermission(GroupObjectPermissionBase):
    """Leave for a team to act as a profile."""

    content_object = models.ForeignKey(AgentProfile, on_delete=models.CASCADE)

    class Meta(GroupObjectPermissionBase.Meta):
        verbose_name = "leave for a team to act as a profile"
        verbose_name_plural = "leave for teams to act as profiles"
