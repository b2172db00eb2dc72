"""Some annotators judge only the batches that were chosen for them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0004_layer_doubt")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="has_own_batches",
            field=models.BooleanField(default=False),
        ),
    ]
