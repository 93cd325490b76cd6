from __future__ import annotations

from typing import Any

import orjson
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_the_last(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Moves the only cause of a session to its list."""
    sessions: Any = apps.get_model("debugger", "DebugSession")
    for session in sessions.objects.exclude(cause="null"):
        session.causes = orjson.dumps([orjson.loads(session.cause)]).decode()
        session.save(update_fields=["causes"])


class Migration(migrations.Migration):
    """Causes by step instead of the last one."""

    dependencies = [
        ("debugger", "0002_secrets"),
    ]

    operations = [
        migrations.AddField(
            model_name="debugsession",
            name="causes",
            field=models.TextField(default="[]", help_text="one per step, oldest first"),
        ),
        migrations.RunPython(keep_the_last, migrations.RunPython.noop),
        migrations.RemoveField(model_name="debugsession", name="cause"),
    ]
