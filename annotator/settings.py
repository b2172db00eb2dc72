"""One file of settings: safe by default, SQLite and a file broker unless told.

Every variable is described in docs/reference.md.
"""

import os
from pathlib import Path

from csp.constants import NONE, SELF

from annotator.env import (
    database,
    env_bool,
    env_choice,
    env_folder,
    env_int,
    env_list,
    env_memory,
    env_path,
    env_several,
    home,
    ldap,
    machine,
    mail,
    metrics_token,
    oidc,
    require_extra,
    secret_key,
)
from annotator.serving import memory

BASE_DIR = Path(__file__).resolve().parent.parent
IS_CLONE = (BASE_DIR / "manage.py").exists()  # else installed from a wheel
WEB_DIR = BASE_DIR if IS_CLONE else BASE_DIR / "annotator" / "_web"
GEMEL_HOME = home(BASE_DIR / "var" if IS_CLONE else Path.home() / ".gemel")
SHARED = env_folder("GEMEL_SHARED")  # reached by all machines; None: there is one
DEBUG = env_bool("GEMEL_DEBUG")
INVITED_CREATE = env_bool("GEMEL_INVITED_CREATE_PROJECTS")
SECRET_KEY = secret_key(GEMEL_HOME)

# --- where it is reached -------------------------------------------------------------
SITE_URL = os.environ.get("GEMEL_SITE_URL", "").rstrip("/")  # https://gemel.example.org
HTTPS = SITE_URL.startswith("https://")
ALLOWED_HOSTS = [*env_list("GEMEL_ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [SITE_URL] if SITE_URL else []
BEHIND_PROXY = env_bool("GEMEL_BEHIND_PROXY")
PROXIES = env_int("GEMEL_PROXIES", default=int(BEHIND_PROXY))
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = ["^(health|ready|metrics)$"]  # asked within the server
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_ENGINE = "annotator.http.sessions"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "worker-src": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

# --- Django --------------------------------------------------------------------------
INSTALLED_APPS = [
    "annotator.apps.AnnotatorConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_filters",
    "django_htmx",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
]
MIDDLEWARE = [
    "annotator.monitoring.requests.RequestMiddleware",
    "annotator.timing.ServerTiming",
    "annotator.throughput.durability.DurableMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotator.http.middleware.PagesCompressed",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",  # but for what says so
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotator.http.middleware.RefusalMiddleware",
    "annotator.http.middleware.PrivateMiddleware",
    "annotator.http.middleware.FormMiddleware",
    "annotator.http.middleware.NulMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "annotator.urls"
WSGI_APPLICATION = "annotator.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [WEB_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.i18n",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotator.http.context.site",
                "annotator.pages.site.help.site",
                "annotator.pages.site.navigation.site",
                "annotator.pages.site.tour.site",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.l10n",
                "annotator.templatetags.gemel",
            ],
        },
    }
]
DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), GEMEL_HOME)}
if test_db := os.environ.get("GEMEL_TEST_DB"):
    DATABASES["default"]["TEST"] = {"NAME": test_db}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [Path(__file__).parent / "locale"]
FORMAT_MODULE_PATH = "annotator.locale"
LANGUAGE_COOKIE_NAME = "gemel_language"
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_TZ = True

# --- people --------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "annotator.services.identities.Directory",
    "annotator.http.sessions.Accounts",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
CSRF_FAILURE_VIEW = "annotator.views.missing.form_too_old"
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "projects"
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25  # hours
TRIES_AN_ADDRESS = 32  # for all names; in an office people share one
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # no one can hold it for ever
AXES_CLIENT_IP_CALLABLE = "annotator.http.addresses.of_attempt"
AXES_HANDLER = "annotator.http.addresses.Tries"
AXES_LOCKOUT_CALLABLE = "annotator.http.addresses.too_many"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_DISABLE_ACCESS_LOG = True
OIDC = oidc()  # {}: people sign in by name and password alone
LDAP = ldap()  # {}: those of their accounts here

# --- files ---------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [
    WEB_DIR / "static",
    ("docs", WEB_DIR / "docs" / "img"),  # pictures of the pages of help
]
STATIC_ROOT = GEMEL_HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = (SHARED or GEMEL_HOME) / "uploads"
MODELS_DIR = env_path("GEMEL_MODELS", default=(SHARED or GEMEL_HOME) / "models")
MAX_UPLOAD_MB = env_int("GEMEL_MAX_UPLOAD_MB", default=200)
MAX_UNPACKED_MB = env_int("GEMEL_MAX_UNPACKED_MB", default=2000)
MIN_FREE_MB = env_int("GEMEL_MIN_FREE_MB", default=200)
MAX_WORDS = env_int("GEMEL_MAX_WORDS", default=1000)  # of a sentence that comes in
QUERY_SECONDS = env_int("GEMEL_QUERY_SECONDS", default=10)  # of a search of trees
WEB_MEMORY_MB = env_memory("GEMEL_WEB_MEMORY_MB", default=memory.of_web())
ENGINE_MEMORY_MB = env_memory(
    "GEMEL_ENGINE_MEMORY_MB",
    default=memory.of_engine(),
    least=memory.LEAST_ENGINE_MB,
)
ENGINE_IDLE_S = env_int("GEMEL_ENGINE_IDLE_S", default=600)
WORKER_MEMORY_MB = env_memory("GEMEL_WORKER_MEMORY_MB", default=memory.of_worker())
BACKUP_HOURS = env_int("GEMEL_BACKUP_HOURS", default=24)  # 0: none automatically
BACKUPS_KEPT = env_int("GEMEL_BACKUPS_KEPT", default=7)
MACHINE = machine()  # {}: only people judge
_MAIL = mail(os.environ.get("GEMEL_MAIL", ""))  # "": no one is written to
EMAIL_HOST = _MAIL.get("EMAIL_HOST", "")
EMAIL_PORT = _MAIL.get("EMAIL_PORT", 25)
EMAIL_HOST_USER = _MAIL.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = _MAIL.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = _MAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = os.environ.get("GEMEL_MAIL_FROM", "gemel@localhost")
MAX_SHOWN_WORDS = env_int("GEMEL_MAX_SHOWN_WORDS", default=2000)  # that pages draw
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
FILE_UPLOAD_PERMISSIONS = 0o600

# --- jobs ----------------------------------------------------------------------------
FILE_BROKER = "filesystem://localhost//"  # a host, or kombu warns that there is none
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "")
if CELERY_BROKER_URL:
    if CELERY_BROKER_URL.startswith("redis"):
        require_extra("redis", setting="CELERY_BROKER_URL")
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
else:
    CELERY_BROKER_URL = FILE_BROKER
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": GEMEL_HOME / "broker" / "queue",
        "data_folder_out": GEMEL_HOME / "broker" / "queue",
        "control_folder": GEMEL_HOME / "broker" / "control",
    }
ALL_QUEUES = ("interactive", "parse", "train")  # the first goes before
QUEUES = env_several("GEMEL_QUEUES", ALL_QUEUES)
CELERY_TASK_QUEUES = {name: {"exchange": name, "binding_key": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = QUEUES[0]
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_ACKS_LATE = False  # the Job row is the truth; the message only wakes
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# kB: a worker that has held a parser begins again, and gives its memory back.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 250_000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# No one asks workers anything through the broker, and the queue for it, named by the
# host, is one worker's alone on RabbitMQ: a second one of a host would not start.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
JOB_STALE_S = env_int("GEMEL_JOB_STALE_S", default=20)

# --- API -----------------------------------------------------------------------------
API_RATE = env_int("GEMEL_API_RATE", default=3000)  # a minute, for each person
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotator.api.calls.tokens.Tokens",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "annotator.api.calls.tokens.WithinScope",
        "annotator.api.calls.queries.KnownQuery",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["annotator.api.calls.tokens.Rate"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotator.api.calls.queries.JsonParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "annotator.api.calls.errors.answer",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Gemel",
    "DESCRIPTION": "Pairs, trees, links and judgments. Ids are public codes.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVE_PERMISSIONS": [
        "rest_framework.permissions.AllowAny",
        "annotator.api.calls.queries.KnownQuery",
    ],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotator.api.calls.described.refusals",
    ],
    "ENUM_NAME_OVERRIDES": {
        "JobStateEnum": "annotator.models.jobs.Job.State",
        "LayerStateEnum": "annotator.models.alignments.AlignmentLayer.State",
        "PairStateEnum": "annotator.models.corpora.Pair.State",
        "ParseKindEnum": "annotator.models.analyses.Parse.Kind",
        "CampaignStateEnum": "annotator.models.campaigns.Campaign.State",
        "SideEnum": ["s", "t"],
        "RoleEnum": "annotator.models.projects.Role",
        "TreeRoleEnum": ["mine", "gold"],
        "RemovalKindEnum": "annotator.models.projects.Removal.Kind",
    },
}
# --- watching it ---------------------------------------------------------------------
METRICS_TOKEN = metrics_token()
LOG_FORMAT = env_choice("GEMEL_LOG_FORMAT", ("text", "json"))
LOG_REQUESTS = env_bool("GEMEL_LOG_REQUESTS", default=LOG_FORMAT == "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "format": "{asctime} {levelname} {name}: {message}{of_request}",
            "style": "{",
        },
        "json": {"()": "annotator.monitoring.lines.JsonLines"},
    },
    "filters": {
        "secrets": {"()": "annotator.secrecy.Secrets"},
        "numbered": {"()": "annotator.monitoring.lines.Numbered"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["secrets", "numbered"],
        }
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {"axes": {"level": "WARNING"}},
}
