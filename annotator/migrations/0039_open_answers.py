from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotator', '0038_screening'),
    ]

    operations = [
        migrations.AlterField(
            model_name='ratingscale',
            name='kind',
            field=models.CharField(choices=[('ordinal', 'Ordered points'), ('number', 'A number in a range'), ('nominal', 'Labels without order'), ('best', "The best and the worst of a phrase's paraphrases"), ('text', 'Free text'), ('spans', 'Marked words of both sentences')], default='ordinal', max_length=8),
        ),
    ]
