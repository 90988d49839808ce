"""Creates the fence guard's table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Fence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("room", models.CharField(max_length=32)),
                ("edition", models.BigIntegerField()),
                ("ticket", models.BigIntegerField()),
                ("resource", models.CharField(max_length=200)),
                ("fence", models.BigIntegerField()),
                ("holds", models.BigIntegerField()),
            ],
            options={
                "db_table": "baton_fences",
                "constraints": [models.UniqueConstraint(fields=["room", "edition", "ticket", "resource"], name="baton_fences_key")],
            },
        ),
    ]
