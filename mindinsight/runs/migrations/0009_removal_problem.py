from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget_deleted(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Files that are deleted were kept in their rows; now such a row says that they are still to be deleted."""
    apps.get_model("runs", "Run").objects.filter(removed="files").update(removed_files=[])


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0008_series_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="removal_problem",
            field=models.JSONField(help_text="why event files could not be deleted, as an error has it", null=True),
        ),
        migrations.AlterField(
            model_name="run",
            name="removed_files",
            field=models.JSONField(
                default=list,
                help_text="its event files when it was removed, as `stored_files.StoredFile` describes them",
            ),
        ),
        migrations.RunPython(forget_deleted, migrations.RunPython.noop),
    ]
