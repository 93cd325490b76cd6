"""The views of `api.md` for marks of runs, and the shapes of their requests and answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import FlagField, IdField, LineField, TextField, WholeField
from mindinsight.api.parameters import read_body
from mindinsight.api.problems import Problem
from mindinsight.runs import marks
from mindinsight.runs.api.serializers import MarksSerializer
from mindinsight.runs.models import Run

MAX_NOTE = 10_000
MAX_TAG = 64
MAX_RUNS = 10_000
MAX_ICON = 10
MAX_DISPLAY_NAME = 200


class _Tags(serializers.ListField):
    """Tags of any form."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=LineField("a tag", MAX_TAG), max_length=marks.MAX_TAGS, **options)


class DisplayNameField(LineField):
    """A name on one line, or nothing, which takes the name away."""

    def __init__(self, **options: Any) -> None:
        super().__init__("a name", MAX_DISPLAY_NAME, **options)
        self._spectacular_annotation["field"]["pattern"] = f"^$|{self.schema['pattern']}"

    def to_internal_value(self, data: Any) -> Any:
        """Returns the text without surrounding spaces."""
        return "" if data == "" else super().to_internal_value(data)


class MarksChangeSerializer(serializers.Serializer[Any]):
    """New marks of one run. Fields that are not given stay."""

    version = WholeField(
        required=False,
        help_text="the version on which the change is based, 0 for none; without it any version is changed",
    )
    tags = _Tags(required=False)
    colour = WholeField(0, 9, required=False, allow_null=True)
    note = TextField(required=False, max_length=MAX_NOTE, help_text="Markdown")
    pinned = FlagField(required=False)
    archived = FlagField(required=False)
    icon = WholeField(0, MAX_ICON, required=False, help_text="0 for none")
    hidden = FlagField(required=False, help_text="whether it is hidden on the lineage page")
    display_name = DisplayNameField(
        required=False, help_text="shown in place of the run's name; empty to show the run's name again"
    )
    baseline = FlagField(required=False, help_text="true removes it from the previous baseline")


class ManyMarksChangeSerializer(serializers.Serializer[Any]):
    """Changes for several runs. Fields that are not given stay."""

    runs = serializers.ListField(child=IdField(32), min_length=1, max_length=MAX_RUNS, help_text="ids")
    add_tags = serializers.ListField(
        required=False, default=list, child=LineField("a tag", MAX_TAG), max_length=marks.MAX_TAGS
    )
    remove_tags = serializers.ListField(
        required=False, default=list, child=LineField("a tag", MAX_TAG), max_length=marks.MAX_TAGS
    )
    colour = WholeField(0, 9, required=False, allow_null=True)
    pinned = FlagField(required=False)
    archived = FlagField(required=False)
    icon = WholeField(0, MAX_ICON, required=False, help_text="0 for none")
    hidden = FlagField(required=False)
    versions = serializers.DictField(
        required=False,
        default=dict,
        child=WholeField(),
        help_text="by id, the version on which the change is based, 0 for none; runs that are not named are changed "
        "in any version",
    )


class ManyMarksSerializer(serializers.Serializer[Any]):
    """The new marks of several runs."""

    marks = serializers.DictField(child=MarksSerializer(), help_text="by the runs' ids")


class RunMarksView(APIView):
    """Marks of one run."""

    @extend_schema(
        operation_id="change_run_marks",
        request=MarksChangeSerializer,
        responses={200: MarksSerializer, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def patch(self, request: Request, uid: str) -> Response:
        """Changes the marks of a run and returns the new marks. Refuses if somebody else has changed them in the
        meantime.
        """
        changes = read_body(MarksChangeSerializer, request)
        version = changes.pop("version", None)
        if "tags" in changes:
            changes["tags"] = list(dict.fromkeys(changes["tags"]))
        (run,) = runs_of([uid])
        try:
            return Response(marks.change(run, changes, version))
        except marks.StaleMarks as stale:
            message = f"The marks of {run.name} were changed since version {version}. Check them and change again."
            raise Problem("stale_marks", message, 409, id=uid, marks=stale.now[uid]) from None


class ManyRunMarks(APIView):
    """Marks of several runs."""

    @extend_schema(
        operation_id="change_marks_of_runs",
        request=ManyMarksChangeSerializer,
        responses={200: ManyMarksSerializer, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def patch(self, request: Request) -> Response:
        """Changes the marks of many runs at once: all, or none if one is unknown or was changed by somebody else."""
        changes = read_body(ManyMarksChangeSerializer, request)
        runs = runs_of(list(dict.fromkeys(changes.pop("runs"))))
        added, removed, versions = changes.pop("add_tags"), changes.pop("remove_tags"), changes.pop("versions")
        try:
            return Response({"marks": marks.change_many(runs, changes, added, set(removed), versions)})
        except marks.StaleMarks as stale:
            message = f"The marks of {len(stale.now)} of these runs were changed in the meantime. No mark was saved."
            raise Problem("stale_marks", message, 409, marks=stale.now) from None
        except marks.TooManyTags as error:
            message = f"{error} would have more than {marks.MAX_TAGS} tags. Remove some first."
            raise Problem("too_many_tags", message, 400, run=str(error), limit=marks.MAX_TAGS) from None


def runs_of(ids: list[str], in_trash: bool = False) -> list[Run]:
    """Returns runs in order of their ids.

    Args:
        ids: the runs' ids.
        in_trash: whether removed runs count too.

    Raises:
        Problem: `run_not_found`, for the first unknown id.
    """
    known = Run.objects.all() if in_trash else Run.objects.filter(removed=Run.Removed.NO)
    found: dict[str, Run] = {}
    for start in range(0, len(ids), 500):
        found.update((run.uid.hex, run) for run in known.filter(uid__in=ids[start : start + 500]))
    for uid in ids:
        if uid not in found:
            raise Problem("run_not_found", f"There is no run {uid}; it may have been removed.", 404, id=uid)
    return [found[uid] for uid in ids]
