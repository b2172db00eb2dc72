from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotator", "0003_joint_parses")]

    operations = [
        migrations.AddField(
            model_name="alignmentlayer",
            name="doubt",
            field=models.FloatField(null=True),
        ),
    ]
