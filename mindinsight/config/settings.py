"""Django's settings, made from the environment (`mindinsight.environment`).

There are no users and no sessions. The gate (`mindinsight.gate`) decides who may use the dashboard, before Django sees
a request.
"""

from __future__ import annotations

import logging.config
from pathlib import Path
from typing import Any

import environ

import mindinsight
from mindinsight.environment import Environment, missing_driver

ENVIRONMENT = Environment.read()
if _missing := missing_driver(ENVIRONMENT.database_url):
    # A web server or a worker that was started without a supervisor: its last line says what to do.
    raise SystemExit(_missing)
PACKAGE = Path(mindinsight.__file__).parent

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key()
# The gate compares Host exactly. Django's own list would only repeat this less strictly.
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "mindinsight.config.urls"
# The reader gives it work in pieces of limited size.
CELERY_APPLICATION = "mindinsight.config.celery.application"
FORCE_SCRIPT_NAME = ENVIRONMENT.prefix or None
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20

INSTALLED_APPS = [
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "mindinsight.runs",
    "mindinsight.scalars",
    "mindinsight.distributions",
    "mindinsight.images",
    "mindinsight.tensors",
    "mindinsight.text",
    "mindinsight.pipelines",
    "mindinsight.graphs",
    "mindinsight.lineage",
    "mindinsight.views",
    "mindinsight.exports",
    "mindinsight.profiles",
    "mindinsight.incoming",
    "mindinsight.debugger",
]
# For Content-Length. The gate does all checks of requests.
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "DIRS": [PACKAGE / "config" / "templates"],
    }
]
STATIC_URL = f"{ENVIRONMENT.prefix}/static/"
FRONTEND_DIRECTORY = PACKAGE / "static" / "dist"

DATABASES: dict[str, Any] = {"default": environ.Env.db_url_config(ENVIRONMENT.database_url)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "mindinsight.database"
    DATABASES["default"]["OPTIONS"] = {
        # Readers never wait for the single writer. A write lock is taken at once, because upgrading a read lock can
        # fail.
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
    }
    # A new connection reads the whole schema and registers sixty functions. A curve would wait milliseconds for that.
    DATABASES["default"]["CONN_MAX_AGE"] = None
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"]["CONN_MAX_AGE"] = 600

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [ENVIRONMENT.redis_url], "prefix": "mindinsight"},
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "DEFAULT_RENDERER_CLASSES": ["mindinsight.api.answers.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["mindinsight.api.answers.OrjsonParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "mindinsight.api.answers.OneRenderer",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "mindinsight.api.answers.answer_error",
    # `format` is a parameter of the points API, not a choice of renderer.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "DEFAULT_GENERATOR_CLASS": "mindinsight.config.description.Description",
    "TITLE": "MindInsight",
    "DESCRIPTION": (
        "Runs, their recorded values, and the state of the dashboard. Live data: see docs/architecture/wire.md.\n\n"
        "Every error has the shape `Error`. A query parameter that is not described is ignored; one that is given "
        "twice is refused with 400, and so is a name in a body that is not described. Texts cannot have the character "
        "U+0000. Texts of the formats `run-query`, `run-names`, `slice` and `condition` are in a language of their "
        "own, and some parameters have to fit each other: what is wrong in that way is refused with 400 too. A method "
        "that an address does not have is answered with 405."
    ),
    "VERSION": mindinsight.__version__,
    "SERVE_INCLUDE_SCHEMA": False,
    # A change may name nothing. Required values of a change are required as elsewhere.
    "COMPONENT_SPLIT_PATCH": False,
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "The token that `mindinsight start` prints; `docs/security.md` says who needs it.",
            }
        }
    },
    "SECURITY": [{"token": []}, {}],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_PERMISSIONS": [],
    "SERVE_AUTHENTICATION": [],
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums"],
    "ENUM_NAME_OVERRIDES": {
        "HealthEnum": [("ok", "ok"), ("down", "down")],
        "ExportFormatEnum": [(kind, kind) for kind in ("csv", "parquet", "tensorboard", "mindspore")],
        "ProfileStateEnum": "mindinsight.profiles.models.Profile.State",
        "ExportStateEnum": "mindinsight.exports.models.Export.State",
        "StatusEnum": [(status, status) for status in ("same", "added", "removed", "changed")],
        "StateEnum": "mindinsight.runs.models.Run.State",
        "AnalysisStateEnum": [(state, state) for state in ("waiting", "running", "done", "failed")],
        "DebugStatusEnum": [(status, status) for status in ("starting", "running", "paused", "ended", "lost")],
        "DebugTensorStateEnum": [(state, state) for state in ("asked", "arriving", "ready", "failed", "gone")],
        "ParameterKindEnum": [(kind, kind) for kind in ("number", "log", "category")],
        "FrameFormatEnum": [("binary", "binary"), ("json", "json")],
        "BoxKindEnum": [(kind, kind) for kind in ("node", "group", "one", "stack")],
        "EdgeKindEnum": [(kind, kind) for kind in ("data", "control", "monad")],
        "GraphSourceKindEnum": [(kind, kind) for kind in ("graph", "pass", "dataset", "file")],
        "NodeKindEnum": [(kind, kind) for kind in ("operator", "parameter", "constant", "missing")],
        "ScaleEnum": [(kind, kind) for kind in ("linear", "log", "symlog")],
    },
}

# We configure logging ourselves. Django would first set up its own logging, which sends errors by mail and therefore
# imports its mail, views and templates into every process.
LOGGING_CONFIG = None
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "mindinsight": {"level": ENVIRONMENT.log_level},
        # A request for something that does not exist is not an event of the dashboard.
        "django.request": {"level": "ERROR"},
    },
}
logging.config.dictConfig(LOGGING)
