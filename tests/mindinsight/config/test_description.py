"""The API's description is complete, whatever was requested before."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import django
django.setup()
import json
from drf_spectacular.renderers import OpenApiJsonRenderer
from mindinsight.config.description import Description
print(OpenApiJsonRenderer().render(Description().get_schema(request=None, public=True), renderer_context={}).decode())
"""


def test_the_description_of_a_new_process_has_every_answer() -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mindinsight.config.settings",
        "MINDINSIGHT_SECRET_KEY": "unused",
        "MINDINSIGHT_DATABASE_URL": "sqlite://:memory:",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parents[3],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = json.loads(done.stdout)["paths"]
    for path in ("/api/tensors/steps", "/api/images/list", "/api/graphs/inside"):
        assert {"200", "400", "404"} <= set(paths[path]["get"]["responses"]), path
    for path, methods in paths.items():
        for method in {"post", "patch", "delete"} & methods.keys():
            assert "507" in methods[method]["responses"], (method, path)
