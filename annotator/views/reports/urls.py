"""The addresses of agreement reports."""

from django.urls import URLPattern, path

from annotator.http import converters  # noqa: F401  before any address is made
from annotator.views.reports import agreement
from annotator.views.reports import layers as layer_reports

report_urls: list[URLPattern] = [
    path("p/<slug:slug>/agreement/", agreement.index, name="agreement"),
    path("p/<slug:slug>/agreement/upload/", agreement.upload, name="agreement_upload"),
    path(
        "p/<slug:slug>/agreement/upload/<code:code>/",
        agreement.check,
        name="agreement_check",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/",
        layer_reports.layer_report,
        name="layer_report",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/cases/",
        layer_reports.layer_cases,
        name="layer_cases",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/freeze/",
        layer_reports.freeze,
        name="layer_freeze",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/frozen/<code:report>/",
        layer_reports.frozen,
        name="layer_frozen",
    ),
    path(
        "p/<slug:slug>/agreement/frozen/<code:code>/", agreement.frozen, name="frozen"
    ),
    path(
        "p/<slug:slug>/agreement/frozen/<code:code>/export/<slug:form>/",
        agreement.frozen_export,
        name="frozen_export",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/",
        agreement.report,
        name="report",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/cases/",
        agreement.report_cases,
        name="report_cases",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/freeze/",
        agreement.freeze,
        name="report_freeze",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/fresh/",
        agreement.fresh,
        name="report_fresh",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/export/<slug:form>/",
        agreement.export,
        name="report_export",
    ),
]
