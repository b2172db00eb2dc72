"""All tables at once; databases and backups made step by step keep their steps.

A database that holds some of the steps is brought up to date by the others.
"""

import annotator.models.codes
import django.db.models.deletion
import django.utils.timezone
import uuid
from importlib import import_module
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

search = import_module("annotator.migrations.0002_pair_search")


class CreateModels(Operation):
    """Create these tables together: their models are rendered once, not per table."""

    def __init__(self, models):
        self.models = models

    def state_forwards(self, app_label, state):
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self):
        return f"Create {len(self.models)} models"


class Migration(migrations.Migration):
    replaces = [
        ("annotator", "0001_initial"),
        ("annotator", "0002_pair_search"),
        ("annotator", "0003_joint_parses"),
        ("annotator", "0004_layer_doubt"),
        ("annotator", "0005_own_batches"),
        ("annotator", "0006_imported_authors"),
        ("annotator", "0007_api_tokens"),
        ("annotator", "0008_tokens_of_before"),
        ("annotator", "0009_rows_of_jobs"),
        ("annotator", "0010_paraphrase_tables"),
        ("annotator", "0011_bitexts"),
        ("annotator", "0012_tree_drafts"),
        ("annotator", "0013_paraphrase_weights"),
        ("annotator", "0014_saved_queries"),
        ("annotator", "0015_tree_batches"),
        ("annotator", "0016_treebank_rules"),
        ("annotator", "0017_worklists"),
        ("annotator", "0018_job_request_id"),
        ("annotator", "0019_arc_drafts"),
        ("annotator", "0020_invitations_removals_log"),
        ("annotator", "0021_majority_blind_curation"),
        ("annotator", "0022_rating_tables"),
        ("annotator", "0023_mail_notices"),
        ("annotator", "0024_ratings_origin"),
        ("annotator", "0025_identities"),
        ("annotator", "0026_chunks"),
        ("annotator", "0027_judgment_flags"),
        ("annotator", "0028_worklists_by_joint_parse"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),  # before: it has few models
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    tables = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("annotate", "Read and annotate"),
                            ("manage", "Everything you can do"),
                        ],
                        max_length=8,
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Identity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identities",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="one_account_an_identity"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgePreference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("keys", models.JSONField(blank=True, default=dict)),
                ("has_single_keys", models.BooleanField(default=True)),
                ("auto_advance", models.BooleanField(default=False)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judge_preference",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MailNotices",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("told", models.JSONField(default=list)),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mail_notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("is_sample", models.BooleanField(default=False)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("single", "One paraphrase at a time"),
                            ("grid", "All paraphrases of a phrase together"),
                        ],
                        default="single",
                        max_length=8,
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=1)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("guideline_number", models.PositiveIntegerField(default=0)),
                ("k", models.PositiveSmallIntegerField(default=1)),
                ("overlap_k", models.PositiveSmallIntegerField(default=2)),
                ("overlap_share", models.FloatField(default=0.2)),
                ("quota", models.PositiveIntegerField(blank=True, null=True)),
                ("lease_s", models.PositiveIntegerField(default=1200)),
                ("prefetch", models.PositiveSmallIntegerField(default=4)),
                ("check_every", models.PositiveSmallIntegerField(default=15)),
                ("check_tolerance", models.FloatField(default=1.0)),
                ("check_min", models.PositiveSmallIntegerField(default=4)),
                ("check_fail_share", models.FloatField(default=0.5)),
                ("training_pass_share", models.FloatField(default=0.0)),
                ("repeat_every", models.PositiveSmallIntegerField(default=0)),
                ("repeat_gap_h", models.FloatField(default=24.0)),
                ("is_adaptive", models.BooleanField(default=False)),
                ("adaptive_gap", models.FloatField(default=2.0)),
                ("is_curation_blind", models.BooleanField(default=False)),
                ("seconds_per_item", models.FloatField(default=12.0)),
                ("cost_per_hour", models.FloatField(default=0.0)),
                ("currency", models.CharField(blank=True, max_length=8)),
                ("contact", models.CharField(blank=True, max_length=200)),
                ("n_items", models.PositiveIntegerField(default=0)),
                ("n_checks", models.PositiveIntegerField(default=0)),
                ("n_training", models.PositiveIntegerField(default=0)),
                ("is_simulated", models.BooleanField(default=False)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="campaigns",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="campaign_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("kind", models.CharField(max_length=30)),
                ("title", models.CharField(max_length=200)),
                ("params", models.JSONField(default=dict)),
                ("result", models.JSONField(blank=True, default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("total", models.PositiveIntegerField(blank=True, null=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("error", models.TextField(blank=True)),
                ("seed", models.PositiveIntegerField(default=0)),
                ("engine", models.CharField(blank=True, max_length=60)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claim", models.CharField(blank=True, max_length=32)),
                ("cancel_asked", models.BooleanField(default=False)),
                ("request_id", models.CharField(blank=True, max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        fields=["state", "heartbeat_at"],
                        name="annotator_j_state_e4e938_idx",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("manager", "Manager"),
                            ("curator", "Curator"),
                            ("annotator", "Annotator"),
                            ("viewer", "Viewer"),
                        ],
                        max_length=12,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user"), name="one_role_each"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LogEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("act", models.CharField(max_length=40)),
                ("kind", models.CharField(max_length=20)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("detail", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(fields=["project", "-id"], name="log_of_project")
                ],
            },
        ),
        migrations.CreateModel(
            name="Bitext",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("source_language", models.CharField(default="en", max_length=35)),
                ("target_language", models.CharField(max_length=35)),
                ("licence", models.CharField(blank=True, max_length=200)),
                ("provenance", models.TextField(blank=True)),
                ("files", models.JSONField(default=list)),
                ("n_pairs", models.PositiveIntegerField(default=0)),
                ("n_gaps", models.PositiveIntegerField(default=0)),
                ("n_sentences", models.PositiveIntegerField(default=0)),
                ("n_source_tokens", models.PositiveBigIntegerField(default=0)),
                ("n_target_tokens", models.PositiveBigIntegerField(default=0)),
                ("n_links", models.PositiveBigIntegerField(default=0)),
                ("n_parsed", models.PositiveIntegerField(default=0)),
                ("aligner", models.CharField(blank=True, max_length=60)),
                ("parser", models.CharField(blank=True, max_length=60)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bitexts",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="bitext_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("project", "Project"),
                            ("corpus", "Corpus"),
                            ("campaign", "Campaign"),
                            ("ratings", "Ratings"),
                        ],
                        max_length=8,
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("members", models.JSONField(blank=True, default=list)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "holder",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removal",
                        to="annotator.project",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removals",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="SavedQuery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("text", models.CharField(max_length=1000)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queries",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="saved_query_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("file", models.FileField(upload_to="%Y/%m/")),
                ("name", models.CharField(max_length=255)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="annotator.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("is_paused", models.BooleanField(default=False)),
                ("n_items", models.PositiveIntegerField(default=0)),
                ("n_returned", models.PositiveIntegerField(default=0)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batches",
                        to="annotator.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign_id", "position", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "name"), name="batch_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Condition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("is_baseline", models.BooleanField(default=False)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conditions",
                        to="annotator.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign_id", "position", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "name"), name="condition_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines",
                        to="annotator.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "number"), name="guideline_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Instance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("sentence", models.TextField()),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("phrase", models.CharField(max_length=400)),
                ("key", models.CharField(max_length=32)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="instances",
                        to="annotator.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "key"), name="instance_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("manager", "Manager"),
                            ("curator", "Curator"),
                            ("annotator", "Annotator"),
                            ("viewer", "Viewer"),
                        ],
                        default="annotator",
                        max_length=12,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=120)),
                ("max_uses", models.PositiveIntegerField(default=1)),
                ("n_uses", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="annotator.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="annotator.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Issue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("file", models.CharField(blank=True, max_length=255)),
                ("line", models.PositiveIntegerField(default=0)),
                ("column", models.PositiveIntegerField(default=0)),
                ("reason", models.TextField()),
                ("remedy", models.TextField(blank=True)),
                ("excerpt", models.CharField(blank=True, max_length=200)),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="issues",
                        to="annotator.job",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Corpus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("licence", models.CharField(blank=True, max_length=200)),
                ("provenance", models.TextField(blank=True)),
                ("source_language", models.CharField(default="en", max_length=35)),
                ("target_language", models.CharField(default="en", max_length=35)),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("n_pairs", models.PositiveIntegerField(default=0)),
                ("n_sentences", models.PositiveIntegerField(default=0)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corpora",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "corpora",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="corpus_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JobChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("part", models.CharField(max_length=60)),
                ("number", models.PositiveIntegerField()),
                ("first", models.BigIntegerField()),
                ("last", models.BigIntegerField()),
                ("n", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("claim", models.CharField(blank=True, max_length=32)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("found", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chunks",
                        to="annotator.job",
                    ),
                ),
            ],
            options={
                "ordering": ["job", "part", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("job", "part", "number"), name="one_chunk_a_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ParaphraseTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("rules", models.JSONField(default=dict)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tables",
                        to="annotator.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="table_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("label", models.CharField(max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("paused", "Paused by a manager"),
                            ("blocked", "Stopped by failed checks"),
                        ],
                        default="active",
                        max_length=8,
                    ),
                ),
                ("is_simulated", models.BooleanField(default=False)),
                ("is_trained", models.BooleanField(default=True)),
                ("seed", models.PositiveIntegerField(default=0)),
                ("quota", models.PositiveIntegerField(blank=True, null=True)),
                ("has_own_batches", models.BooleanField(default=False)),
                ("n_taken", models.PositiveIntegerField(default=0)),
                ("n_served", models.PositiveIntegerField(default=0)),
                ("repeat_cursor", models.BigIntegerField(default=0)),
                ("n_training", models.PositiveIntegerField(default=0)),
                ("n_training_passed", models.PositiveIntegerField(default=0)),
                ("n_checks", models.PositiveIntegerField(default=0)),
                ("n_checks_failed", models.PositiveIntegerField(default=0)),
                ("n_repeats", models.PositiveIntegerField(default=0)),
                ("forgiven", models.PositiveIntegerField(default=0)),
                ("forgiven_failed", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participants",
                        to="annotator.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judges_as",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "user"), name="judge_once"
                    ),
                    models.UniqueConstraint(
                        fields=("campaign", "label"), name="judge_label"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingScale",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("name", models.SlugField(max_length=40)),
                ("title", models.CharField(max_length=80)),
                ("question", models.CharField(blank=True, max_length=300)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("ordinal", "Ordered points"),
                            ("number", "A number in a range"),
                            ("nominal", "Labels without order"),
                        ],
                        default="ordinal",
                        max_length=8,
                    ),
                ),
                ("points", models.JSONField(blank=True, default=list)),
                ("low", models.IntegerField(default=0)),
                ("high", models.IntegerField(default=100)),
                ("threshold", models.FloatField(blank=True, null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scales",
                        to="annotator.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign_id", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "name"), name="scale_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("format", models.CharField(max_length=20)),
                ("reading", models.JSONField(blank=True, default=dict)),
                ("origin", models.JSONField(blank=True, default=dict)),
                ("n_items", models.PositiveIntegerField(default=0)),
                ("n_annotators", models.PositiveIntegerField(default=0)),
                ("n_ratings", models.PositiveIntegerField(default=0)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rating_sets",
                        to="annotator.project",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.upload",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="rating_set_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="InvitationUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="annotator.invitation",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("number", models.PositiveIntegerField(default=0)),
                ("ref", models.CharField(blank=True, max_length=120)),
                ("paraphrase", models.CharField(max_length=400)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("main", "Item"),
                            ("gold", "Gold"),
                            ("attention", "Attention check"),
                            ("training", "Training"),
                        ],
                        default="main",
                        max_length=9,
                    ),
                ),
                ("gold", models.JSONField(blank=True, default=dict)),
                ("why", models.TextField(blank=True)),
                ("need", models.PositiveSmallIntegerField(default=0)),
                ("n_extra", models.PositiveSmallIntegerField(default=0)),
                ("n_taken", models.PositiveSmallIntegerField(default=0)),
                ("n_done", models.PositiveSmallIntegerField(default=0)),
                ("is_withdrawn", models.BooleanField(default=False)),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotator.batch",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotator.campaign",
                    ),
                ),
                (
                    "instance",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotator.instance",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        fields=["campaign", "kind"],
                        name="annotator_i_campaig_5f1831_idx",
                    ),
                    models.Index(
                        condition=models.Q(("n_taken__lt", models.F("need"))),
                        fields=["batch", "number"],
                        name="item_open",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("instance", "paraphrase"), name="item_once"
                    ),
                    models.UniqueConstraint(
                        fields=("batch", "number"), name="item_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("n_taken__lte", models.F("need")),
                            ("n_done__lte", models.F("n_taken")),
                        ),
                        name="item_never_overfull",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JointRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("engine", models.CharField(max_length=60)),
                ("version", models.CharField(max_length=60)),
                ("method", models.CharField(max_length=20)),
                ("label", models.CharField(max_length=120)),
                ("parameters", models.JSONField(default=dict)),
                ("digest", models.CharField(max_length=32)),
                ("n_pairs", models.PositiveIntegerField(default=0)),
                ("n_changes", models.PositiveIntegerField(default=0)),
                ("gold_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="joint_runs",
                        to="annotator.corpus",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("corpus", "digest"), name="joint_run_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ParaphraseWeights",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("campaign_name", models.CharField(max_length=120)),
                ("model", models.JSONField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.campaign",
                    ),
                ),
                (
                    "job",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="weights",
                        to="annotator.paraphrasetable",
                    ),
                ),
            ],
            options={
                "ordering": ["table_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("table", "number"), name="paraphrase_weights_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Queue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("cursor", models.PositiveIntegerField(default=0)),
                ("dry_at", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queues",
                        to="annotator.batch",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queues",
                        to="annotator.participant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("participant", "batch"), name="queue_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("title", models.CharField(max_length=160)),
                ("query", models.TextField(blank=True)),
                ("body", models.JSONField()),
                ("names", models.JSONField(blank=True, default=dict)),
                ("digest", models.CharField(max_length=64)),
                ("version", models.CharField(max_length=20)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="annotator.campaign",
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="annotator.corpus",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="annotator.project",
                    ),
                ),
                (
                    "rating_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="annotator.ratingset",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ScoreRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("scorer", models.CharField(max_length=60)),
                ("label", models.CharField(max_length=120)),
                ("version", models.CharField(max_length=60)),
                ("parameters", models.JSONField(default=dict)),
                ("digest", models.CharField(max_length=32)),
                ("n_scored", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="score_runs",
                        to="annotator.corpus",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("corpus", "digest"), name="score_run_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Sentence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("ref", models.CharField(blank=True, max_length=200)),
                ("text", models.TextField()),
                ("tokens", models.TextField()),
                ("n_tokens", models.PositiveIntegerField()),
                ("language", models.CharField(default="en", max_length=35)),
                ("columns", models.JSONField(blank=True, default=dict)),
                ("key", models.CharField(max_length=32)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sentences",
                        to="annotator.corpus",
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["corpus", "ref"], name="annotator_s_corpus__c7089d_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("corpus", "key"), name="sentence_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("day", models.DateField()),
                ("n_done", models.PositiveIntegerField(default=0)),
                ("n_skipped", models.PositiveIntegerField(default=0)),
                ("active_ms", models.PositiveBigIntegerField(default=0)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tallies",
                        to="annotator.batch",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tallies",
                        to="annotator.participant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("participant", "batch", "day"), name="tally_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TreebankRules",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("text", models.TextField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "corpus",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rules",
                        to="annotator.corpus",
                    ),
                ),
            ],
            options={
                "ordering": ["corpus_id"],
            },
        ),
        migrations.CreateModel(
            name="TreeBatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("query", models.CharField(max_length=1000)),
                ("node", models.CharField(blank=True, max_length=40)),
                ("label", models.CharField(max_length=60)),
                ("keeps_functions", models.BooleanField(default=False)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("undone_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batches",
                        to="annotator.corpus",
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Worklist",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("query", models.CharField(blank=True, max_length=1000)),
                (
                    "unit",
                    models.CharField(
                        choices=[("tree", "Trees"), ("pair", "Pairs")], max_length=4
                    ),
                ),
                (
                    "ranking",
                    models.CharField(
                        choices=[
                            ("uncertainty", "Least certain first"),
                            ("disagreement", "Where annotators disagree most first"),
                            ("joint", "Where the joint parse differs most first"),
                            ("longest", "Longest first"),
                            ("shortest", "Shortest first"),
                            ("random", "Random, with a seed"),
                        ],
                        max_length=12,
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=0)),
                ("n_each", models.PositiveSmallIntegerField(default=1)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="worklists",
                        to="annotator.corpus",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Credit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("rank", models.PositiveSmallIntegerField(default=1)),
                ("score", models.FloatField(blank=True, null=True)),
                (
                    "condition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="credits",
                        to="annotator.condition",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="credits",
                        to="annotator.item",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "condition"), name="credit_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("values", models.JSONField(blank=True, default=dict)),
                ("accepts", models.CharField(blank=True, max_length=40)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("agreed", "The judges agree"),
                            ("majority", "The majority is right"),
                            ("misread", "A judge misread the item"),
                            ("guideline", "The guidelines say otherwise"),
                            ("unclear", "The guidelines are silent or unclear"),
                            ("context", "The context decides"),
                            ("faulty", "The item is faulty"),
                            ("other", "Other (see the note)"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "confidence",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "Low"), (2, "Medium"), (3, "High")]
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("batch", models.CharField(blank=True, max_length=16)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="adjudications",
                        to="annotator.item",
                    ),
                ),
            ],
            options={
                "ordering": ["item_id", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "number"), name="adjudication_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Judgment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("round", models.PositiveSmallIntegerField(default=1)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("leased", "Assigned"),
                            ("done", "Answered"),
                            ("skipped", "Skipped"),
                            ("expired", "Reservation expired"),
                        ],
                        default="leased",
                        max_length=8,
                    ),
                ),
                ("fills", models.BooleanField(default=False)),
                ("lease_until", models.DateTimeField()),
                ("values", models.JSONField(blank=True, default=dict)),
                ("comment", models.TextField(blank=True)),
                ("skip_reason", models.CharField(blank=True, max_length=20)),
                ("flag", models.CharField(blank=True, max_length=200)),
                ("active_ms", models.PositiveIntegerField(default=0)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("is_late", models.BooleanField(default=False)),
                ("mode", models.CharField(blank=True, max_length=8)),
                ("guideline", models.PositiveIntegerField(default=0)),
                ("saved_at", models.DateTimeField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotator.item",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotator.participant",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        fields=["participant", "state"],
                        name="annotator_j_partici_c81ce2_idx",
                    ),
                    models.Index(
                        condition=models.Q(("state", "leased")),
                        fields=["lease_until"],
                        name="judgment_leases",
                    ),
                    models.Index(
                        condition=models.Q(("flag", ""), _negated=True),
                        fields=["item"],
                        name="judgment_flags",
                    ),
                    models.Index(
                        condition=models.Q(("state", "skipped")),
                        fields=["participant"],
                        name="judgment_skips",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "participant", "round"), name="judgment_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Pair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                ("ref", models.CharField(blank=True, max_length=200)),
                ("text", models.TextField()),
                ("label", models.CharField(blank=True, max_length=60)),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("n_source", models.PositiveIntegerField()),
                ("n_target", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("none", "Not aligned"),
                            ("proposed", "Proposed"),
                            ("started", "Started"),
                            ("done", "Done"),
                        ],
                        default="none",
                        max_length=10,
                    ),
                ),
                ("has_parse", models.BooleanField(default=False)),
                ("key", models.CharField(max_length=32)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs",
                        to="annotator.corpus",
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="as_source",
                        to="annotator.sentence",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="as_target",
                        to="annotator.sentence",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        fields=["corpus", "id"], name="annotator_p_corpus__bc7aef_idx"
                    ),
                    models.Index(
                        fields=["corpus", "state", "id"],
                        name="annotator_p_corpus__09bb45_idx",
                    ),
                    models.Index(
                        fields=["corpus", "label", "id"],
                        name="annotator_p_corpus__335bc1_idx",
                    ),
                    models.Index(
                        fields=["corpus", "has_parse", "id"],
                        name="annotator_p_corpus__62eb64_idx",
                    ),
                    models.Index(
                        fields=["corpus", "n_source", "id"],
                        name="annotator_p_corpus__4e2164_idx",
                    ),
                    models.Index(
                        fields=["corpus", "state", "has_parse", "id"],
                        name="annotator_p_corpus__93ba63_idx",
                    ),
                    models.Index(
                        fields=["corpus", "label", "state", "id"],
                        name="annotator_p_corpus__97317e_idx",
                    ),
                    models.Index(
                        fields=["corpus", "label", "has_parse", "id"],
                        name="annotator_p_corpus__6240fc_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("corpus", "key"), name="pair_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Parse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("constituency", "Constituency"),
                            ("dependency", "Dependency"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("gold", "Gold"),
                            ("annotator", "Annotator"),
                            ("engine", "Engine"),
                            ("former", "Former gold"),
                        ],
                        max_length=10,
                    ),
                ),
                ("engine", models.CharField(blank=True, max_length=60)),
                ("version", models.CharField(blank=True, max_length=60)),
                ("rank", models.PositiveSmallIntegerField(default=1)),
                ("score", models.FloatField(blank=True, null=True)),
                ("text", models.TextField()),
                ("digest", models.CharField(max_length=32)),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parses",
                        to="annotator.sentence",
                    ),
                ),
            ],
            options={
                "ordering": ["sentence_id", "origin", "engine", "rank"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "sentence",
                            "kind",
                            "origin",
                            "engine",
                            "version",
                            "rank",
                            "digest",
                        ),
                        name="parse_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PackedForest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("engine", models.CharField(max_length=60)),
                ("version", models.CharField(max_length=60)),
                ("data", models.BinaryField()),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="forests",
                        to="annotator.sentence",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("sentence", "engine", "version"), name="forest_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkPerson",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("removed_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "worklist",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="people",
                        to="annotator.worklist",
                    ),
                ),
            ],
            options={
                "ordering": ["worklist_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("worklist", "user"), name="work_person"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AlignmentLayer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("gold", "Gold"),
                            ("annotator", "Annotator"),
                            ("engine", "Engine"),
                            ("former", "Former gold"),
                        ],
                        max_length=10,
                    ),
                ),
                ("engine", models.CharField(blank=True, max_length=60)),
                ("version", models.CharField(blank=True, max_length=60)),
                ("name", models.CharField(blank=True, max_length=60)),
                ("slot", models.CharField(max_length=32)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("links", models.JSONField(blank=True, default=dict)),
                ("parked", models.JSONField(blank=True, default=list)),
                ("n_links", models.PositiveIntegerField(default=0)),
                ("doubt", models.FloatField(null=True)),
                ("revision", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("done", "Done")],
                        default="open",
                        max_length=6,
                    ),
                ),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="layers",
                        to="annotator.pair",
                    ),
                ),
                (
                    "source_parse",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "target_parse",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
            ],
            options={
                "ordering": ["pair_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("pair", "slot"), name="layer_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgmentEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("uuid", models.UUIDField(unique=True)),
                (
                    "verb",
                    models.CharField(
                        choices=[
                            ("save", "Saved"),
                            ("skip", "Skipped"),
                            ("flag", "Flagged"),
                            ("reopen", "Reopened by a curator"),
                        ],
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("revision", models.PositiveIntegerField()),
                ("values", models.JSONField(blank=True, default=dict)),
                ("note", models.TextField(blank=True)),
                ("active_ms", models.PositiveIntegerField(default=0)),
                ("guideline", models.PositiveIntegerField(default=0)),
                ("mode", models.CharField(blank=True, max_length=8)),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "judgment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="annotator.judgment",
                    ),
                ),
            ],
            options={
                "ordering": ["judgment_id", "pk"],
            },
        ),
        migrations.CreateModel(
            name="JointPair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("rounds", models.JSONField(blank=True, default=list)),
                ("links", models.JSONField(blank=True, default=list)),
                ("before", models.PositiveIntegerField(default=0)),
                ("after", models.PositiveIntegerField(default=0)),
                ("exact", models.BooleanField(default=True)),
                ("gap", models.FloatField(blank=True, null=True)),
                ("gate", models.FloatField(blank=True, null=True)),
                ("kept", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="annotator.jointrun",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="joint_results",
                        to="annotator.pair",
                    ),
                ),
            ],
            options={
                "ordering": ["run_id", "pair_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "pair"), name="joint_pair_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PairScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("value", models.FloatField()),
                ("n_links", models.PositiveSmallIntegerField()),
                ("n_inverted", models.PositiveSmallIntegerField()),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="annotator.pair",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="annotator.scorerun",
                    ),
                ),
            ],
            options={
                "ordering": ["-value", "pair_id"],
                "indexes": [
                    models.Index(
                        fields=["run", "-value", "pair"],
                        name="annotator_p_run_id_b327d2_idx",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "pair"), name="pair_score_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TreeDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("constituency", "Constituency"),
                            ("dependency", "Dependency"),
                        ],
                        default="constituency",
                        max_length=12,
                    ),
                ),
                ("text", models.TextField()),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "base",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="annotator.sentence",
                    ),
                ),
            ],
            options={
                "ordering": ["sentence_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("sentence", "author", "kind"),
                        name="draft_a_person_a_kind",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("value", models.FloatField(null=True)),
                (
                    "pair",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.pair",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.sentence",
                    ),
                ),
                (
                    "worklist",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotator.worklist",
                    ),
                ),
            ],
            options={
                "ordering": ["worklist_id", "place"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("worklist", "place"), name="work_place"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LinkEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("uuid", models.UUIDField(default=uuid.uuid4)),
                ("revision", models.PositiveIntegerField()),
                ("op", models.CharField(max_length=24)),
                ("imported_by", models.CharField(blank=True, max_length=120)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("before", models.JSONField(default=dict)),
                ("after", models.JSONField(default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.job",
                    ),
                ),
                (
                    "layer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="annotator.alignmentlayer",
                    ),
                ),
                (
                    "undoes",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.linkevent",
                    ),
                ),
            ],
            options={
                "ordering": ["layer_id", "revision"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("layer", "uuid"), name="operation_once"
                    ),
                    models.UniqueConstraint(
                        fields=("layer", "revision"), name="one_a_revision"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JointTree",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("s", "Source"), ("t", "Target")], max_length=1
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("constituency", "Constituency"),
                            ("dependency", "Dependency"),
                        ],
                        max_length=12,
                    ),
                ),
                ("errors_before", models.PositiveIntegerField(blank=True, null=True)),
                ("errors_after", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "result",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trees",
                        to="annotator.jointpair",
                    ),
                ),
                (
                    "after",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("result", "side", "kind"), name="joint_tree_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TreeChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("s", "Source"), ("t", "Target")], max_length=1
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("arc", "Arc"), ("bracket", "Bracket")], max_length=7
                    ),
                ),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("head_before", models.IntegerField(blank=True, null=True)),
                ("head_after", models.IntegerField(blank=True, null=True)),
                ("label_before", models.CharField(blank=True, max_length=60)),
                ("label_after", models.CharField(blank=True, max_length=60)),
                ("prob_before", models.FloatField(blank=True, null=True)),
                ("prob_after", models.FloatField(blank=True, null=True)),
                ("confidence", models.FloatField(default=0.0)),
                ("because", models.JSONField(blank=True, default=list)),
                ("domain", models.CharField(blank=True, max_length=60)),
                ("operations", models.CharField(blank=True, max_length=200)),
                (
                    "gold",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "No gold tree"),
                            ("fixed", "Fixed"),
                            ("broken", "Broken"),
                            ("neutral", "Wrong before and after"),
                        ],
                        max_length=7,
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Open"),
                            ("fix", "Real fix"),
                            ("error", "Real error"),
                            ("both", "Both right"),
                            ("bad", "Bad input"),
                        ],
                        max_length=5,
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=0)),
                ("judged_at", models.DateTimeField(blank=True, null=True)),
                (
                    "judged_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "result",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="annotator.jointpair",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="annotator.jointrun",
                    ),
                ),
            ],
            options={
                "ordering": ["run_id", "pk"],
                "indexes": [
                    models.Index(
                        fields=["run", "id"], name="annotator_t_run_id_efd788_idx"
                    ),
                    models.Index(
                        fields=["run", "confidence", "id"],
                        name="annotator_t_run_id_17e9c0_idx",
                    ),
                    models.Index(
                        fields=["run", "verdict", "id"],
                        name="annotator_t_run_id_d7fd24_idx",
                    ),
                    models.Index(
                        fields=["run", "gold", "id"],
                        name="annotator_t_run_id_55181f_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "result",
                            "side",
                            "kind",
                            "start",
                            "end",
                            "label_before",
                            "label_after",
                        ),
                        name="tree_change_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TreeEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("uuid", models.UUIDField(default=uuid.uuid4)),
                ("revision", models.PositiveIntegerField()),
                ("op", models.CharField(max_length=24)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("done", models.JSONField(default=dict)),
                ("back", models.JSONField(default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="annotator.treedraft",
                    ),
                ),
                (
                    "undoes",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotator.treeevent",
                    ),
                ),
            ],
            options={
                "ordering": ["draft_id", "revision"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("draft", "uuid"), name="tree_step_once"
                    ),
                    models.UniqueConstraint(
                        fields=("draft", "revision"), name="tree_step_a_revision"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkShare",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "code",
                    annotator.models.codes.CodeField(
                        default=annotator.models.codes.new_code
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "In progress"),
                            ("done", "Done"),
                            ("skipped", "Skipped"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shares",
                        to="annotator.workitem",
                    ),
                ),
                (
                    "parse",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["item_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "user"), name="work_share_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BatchTree",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("labels", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("done", "Relabelled"),
                            ("left", "Left as it was"),
                            ("undone", "Undone"),
                            ("kept", "Not undone"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "after",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.parse",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.sentence",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trees",
                        to="annotator.treebatch",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotator.treeevent",
                    ),
                ),
            ],
            options={
                "ordering": ["batch_id", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("batch", "sentence"), name="batch_tree_a_sentence"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="VerdictEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("uuid", models.UUIDField(unique=True)),
                ("revision", models.PositiveIntegerField()),
                (
                    "before",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Open"),
                            ("fix", "Real fix"),
                            ("error", "Real error"),
                            ("both", "Both right"),
                            ("bad", "Bad input"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "after",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Open"),
                            ("fix", "Real fix"),
                            ("error", "Real error"),
                            ("both", "Both right"),
                            ("bad", "Bad input"),
                        ],
                        max_length=5,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="annotator.treechange",
                    ),
                ),
            ],
            options={
                "ordering": ["change_id", "revision"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("change", "revision"), name="one_verdict_a_revision"
                    )
                ],
            },
        ),
    ]
    operations = [
        CreateModels(tables),
        migrations.RunPython(search.make, search.drop),
    ]
