"""The Celery task of lineage: computes what mattered, in a process that ends afterwards."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
from celery import shared_task
from django.conf import settings

import mindinsight
from mindinsight.api.problems import error_body
from mindinsight.lineage.models import LIBRARIES_MISSING, Study

logger = logging.getLogger(__name__)

MOST_SECONDS = 300.0
"""Seconds after which a computation is aborted."""
_LIBRARIES = ("sklearn", "scipy")
"""What the process imports beside numpy. A worker of a light install has none of them."""
_TO_INSTALL = (
    "Parameter importance needs scikit-learn and SciPy where the worker runs: pip install 'mindinsight[importance]'"
)


@shared_task(name="lineage.importance")
def importance(number: int) -> None:
    """Computes a study.

    Args:
        number: number of its row. Nothing happens if it does not exist, is done, or newer values were requested in the
        meantime.
    """
    study = Study.objects.filter(pk=number).exclude(state=Study.State.DONE).first()
    if study is None:
        return
    path = Path(settings.ENVIRONMENT.data_directory) / "lineage" / f"{study.key}.npz"
    if Study.objects.filter(question=study.question, asked__gt=study.asked).exists():
        study.delete()
        path.unlink(missing_ok=True)
        return
    if any(find_spec(library) is None for library in _LIBRARIES):
        _tell(study, state=Study.State.FAILED, problem=error_body(LIBRARIES_MISSING, _TO_INSTALL))
        path.unlink(missing_ok=True)
        return
    _tell(study, state=Study.State.RUNNING, progress=0.0)
    try:
        result = _compute(study, path)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        logger.warning("The study %s failed: %s", study, error)
        body = error_body("study_failed", f"Parameter importance cannot be computed: {error}", {"reason": str(error)})
        _tell(study, state=Study.State.FAILED, problem=body)
    else:
        _tell(study, state=Study.State.DONE, progress=1.0, result=result)
    path.unlink(missing_ok=True)


def _compute(study: Study, path: Path) -> dict[str, Any]:
    """Runs the process and stores its progress.

    Raises:
        OSError: the input does not exist, or no process can be started.
        CalledProcessError: the process failed. The log says why.
        ValueError: the process ended without a result.
    """
    path.stat()
    command = [sys.executable, "-P", "-m", "mindinsight.lineage.importance", str(path)]
    result: dict[str, Any] | None = None
    # Its error output goes to the worker's log.
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": _python_path()}
    ) as process:
        end = threading.Timer(MOST_SECONDS, process.kill)
        end.start()
        try:
            assert process.stdout is not None  # noqa: S101  (a pipe, as asked for)
            for line in process.stdout:
                message = orjson.loads(line)
                if "result" in message:
                    result = message["result"]
                else:
                    _tell(study, progress=message["progress"])
            process.wait()
        finally:
            end.cancel()
            process.kill()
    if process.returncode and result is None:
        raise subprocess.CalledProcessError(process.returncode, command[3])
    if result is None:
        raise ValueError("the process that computes ended without a result")
    return result


def _python_path() -> str:
    """The directory of this package, before the worker's own Python path."""
    root = str(Path(mindinsight.__file__).resolve().parent.parent)
    return os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))


def _tell(study: Study, **fields: object) -> None:
    Study.objects.filter(pk=study.pk).update(changed=time.time(), **fields)
