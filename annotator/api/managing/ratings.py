"""Sets of ratings from elsewhere, for programs."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from annotator.api.managing.keeping import KeepingViews
from annotator.api.rows import VisibleRows
from annotator.models import RatingSet
from annotator.models.projects import SEE_OTHERS, id_of


class RatingSetSerializer(serializers.ModelSerializer[RatingSet]):
    project = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = RatingSet
        fields = [
            *("code", "project", "name", "format", "n_items", "n_annotators"),
            *("n_ratings", "created_at", "archived_at"),
        ]


class RatingViews(KeepingViews, VisibleRows):
    """The sets of ratings whose reports you may see."""

    serializer_class = RatingSetSerializer
    queryset = RatingSet.objects.none()

    def get_queryset(self) -> QuerySet[RatingSet]:
        return RatingSet.objects.filter(
            project__memberships__user_id=id_of(self.request.user),
            project__memberships__role__in=SEE_OTHERS,
        ).select_related("project")
