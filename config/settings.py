"""Settings: one module, everything that differs between machines is read from the environment."""

import sys
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

TESTING = "pytest" in sys.modules
DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("LANEWISE_DATA_DIR", default=str(BASE_DIR / ".data"))).expanduser().resolve()


def _secret_key() -> str:
    """The key from the environment, or one made once and kept beside the data (readable by its owner only)."""
    given = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = DATA_DIR / "secret_key"
    if not path.exists():
        from django.core.management.utils import get_random_secret_key

        DATA_DIR.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x") as file:
                path.chmod(0o600)
                file.write(get_random_secret_key())
        except FileExistsError:
            pass  # another process made it in the same instant
    return path.read_text().strip()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "daphne",
    "config.admin.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "guardian",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "procrastinate.contrib.django",
    "lanes",
    "memory",
    "api",
    "web",
]

MIDDLEWARE = [
    "config.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "web.middleware.PageHeaders",
]
CSRF_FAILURE_VIEW = "web.views.base.forbidden"

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.context.shell",
            ],
        },
    },
]


def _database() -> dict:
    """DATABASE_URL, or the embedded server in DATA_DIR."""
    url = env.str("DATABASE_URL", default="")
    if url:
        config = env.db_url_config(url)
        config["ENGINE"] = "config.postgres"
    else:
        config = {
            "ENGINE": "config.postgres",
            "NAME": "lanewise",
            "EMBEDDED_DIR": str(DATA_DIR),
            "EMBEDDED_THROWAWAY": TESTING,
        }
    options = config.setdefault("OPTIONS", {})
    # Django's default is None, with which psycopg ignores the `prepare` of memory.sql and plans every statement anew.
    options["prepare_threshold"] = 5
    # The hot statements are prepared and have the shape for a generic plan (PERF.md); ORM statements are not
    # prepared, so the plan setting does not touch them.
    timeout = env.str("LANEWISE_STATEMENT_TIMEOUT", default="0")
    options["options"] = (
        "-c plan_cache_mode=force_generic_plan -c jit=off -c timezone=UTC "
        f"-c random_page_cost=1.1 -c statement_timeout={timeout}"
    )
    if not TESTING and env.bool("LANEWISE_DB_POOL", default=False):
        options["pool"] = {"min_size": 2, "max_size": env.int("LANEWISE_DB_POOL_SIZE", default=20), "timeout": 10}
        config["CONN_HEALTH_CHECKS"] = True
    return config


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "lanes.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = False
if TESTING:  # a person made for a test has no secret, and hashing well takes longer than most tests
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/accounts/login/"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
# Files are served from where they are (WHITENOISE_USE_FINDERS); whoever collects them names the place.
STATIC_ROOT = env.str("STATIC_ROOT", default=None)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
if env.bool("LANEWISE_HTTPS", default=False):
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.int("LANEWISE_HSTS_SECONDS", default=31536000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.auth.KeyAuthentication", "api.auth.TenantSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    # JSON only: the browsable API's forms and OPTIONS would list choices nobody limited to a reader.
    "DEFAULT_RENDERER_CLASSES": ["api.render.ReplyRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "api.errors.handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Lanewise",
    "DESCRIPTION": "Tools over an edge property hypergraph, limited to the lanes the reader may read.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

CHANNEL_LAYERS: dict = {}

# --- Lanewise's own limits -----------------------------------------------------------------------------------
LANEWISE_WALK_BUDGET = env.int("LANEWISE_WALK_BUDGET", default=256)  # edge properties of a record that are walked
LANEWISE_CONNECTION_CAP = env.int("LANEWISE_CONNECTION_CAP", default=50)  # connections of a record
# Pairs a language model is asked about for each record that reads somewhat like others; refused ones count.
LANEWISE_DISCOVERY_QUESTIONS = env.int("LANEWISE_DISCOVERY_QUESTIONS", default=5)

# Ingest: what is done to a record before it counts as findable in every way, and what may follow later.
LANEWISE_INGEST_STEPS = [
    "memory.ingest.steps.Vectors",
    "memory.ingest.steps.Tags",
    "memory.ingest.steps.KnownValues",
]
LANEWISE_INGEST_LATER_STEPS = [
    "memory.ingest.steps.Names",
    "memory.relations.steps.Relations",
    "memory.ingest.steps.LanguageModel",
]
LANEWISE_EXTRACTORS = [
    "memory.ingest.extractors.times.TimeExtractor",
    "memory.ingest.extractors.tense.TenseExtractor",
    "memory.ingest.extractors.contact.EmailExtractor",
    "memory.ingest.extractors.contact.PhoneExtractor",
    "memory.ingest.extractors.money.MoneyExtractor",
    "memory.ingest.extractors.case_numbers.CaseNumberExtractor",
    "memory.ingest.extractors.citations.CitationExtractor",
]
LANEWISE_INGEST_ATTEMPTS = env.int("LANEWISE_INGEST_ATTEMPTS", default=5)  # then a record is given up, visibly
# The names model and the relations' parser read so many characters of a text, and for so many seconds; a worker whose
# job has been silent for so many more is ended, for another one to take its place.
LANEWISE_MODEL_CHARACTERS = env.int("LANEWISE_MODEL_CHARACTERS", default=200_000)
LANEWISE_INGEST_SECONDS = env.float("LANEWISE_INGEST_SECONDS", default=120)
LANEWISE_INGEST_STUCK_SECONDS = env.float("LANEWISE_INGEST_STUCK_SECONDS", default=600)
LANEWISE_INGEST_KEEP_DAYS = 7  # of throughput figures
# The language model: off without an endpoint, and for every lane that the policy function does not allow.
LANEWISE_LLM = (
    {
        "base_url": env.str("LANEWISE_LLM_URL"),
        "model": env.str("LANEWISE_LLM_MODEL", default="default"),
        "api_key": env.str("LANEWISE_LLM_KEY", default="none"),
        "timeout": env.float("LANEWISE_LLM_TIMEOUT", default=30.0),  # seconds, for one answer as a whole
    }
    if env.str("LANEWISE_LLM_URL", default="")
    else {}
)
LANEWISE_LLM_POLICY = env.str("LANEWISE_LLM_POLICY", default="memory.ingest.policies.language_model_allowed")

# --- The graph -----------------------------------------------------------------------------------------------
# Of the composite score of context: "similarity=0.5,recency=0.2,importance=0.2,access=0.1".
LANEWISE_SCORE_WEIGHTS = env.str("LANEWISE_SCORE_WEIGHTS", default="")
LANEWISE_SCORE_HALF_LIFE_DAYS = env.float("LANEWISE_SCORE_HALF_LIFE_DAYS", default=30)


# What makes vectors: "local", or "openai:MODEL" at any compatible endpoint (memory.ingest.embedders).
EMBEDDER = env.str("EMBEDDER", default="local")
EMBEDDER_URL = env.str("EMBEDDER_URL", default="")
EMBEDDER_KEY = env.str("EMBEDDER_KEY", default="")
EMBEDDER_DIMENSION = env.int("EMBEDDER_DIMENSION", default=0)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
}
