"""The WSGI entry point, for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
application = get_wsgi_application()
get_resolver().url_patterns  # noqa: B018 - import all views before the workers fork
