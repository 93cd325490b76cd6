"""The views of `api.md` for what people note about runs, and the shapes of what they take and answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer
from mindinsight.config.described import extend_schema
from mindinsight.config.problems import Problem
from mindinsight.runs import marks
from mindinsight.runs.models import Run
from mindinsight.runs.serializers import MarksSerializer

MAX_NOTE = 10_000
MAX_TAG = 64
MAX_RUNS = 10_000
MAX_ICON = 10


class TagField(serializers.CharField):
    """A free word or a few, without control characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_TAG, **options)

    def to_internal_value(self, data: Any) -> str:
        """Returns the tag without spaces around it."""
        tag = super().to_internal_value(data)
        if not tag.isprintable():
            raise serializers.ValidationError("a tag cannot have line breaks or control characters in it")
        return str(tag)


class _Strict(serializers.Serializer[Any]):
    """Takes no names that it does not know: one that is spelt wrong would silently change nothing."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(data.keys() - self.fields.keys())):
            raise serializers.ValidationError({unknown[0]: f"there is no such mark; {', '.join(self.fields)} are"})
        return super().to_internal_value(data)


class MarksChangeSerializer(_Strict):
    """New marks of one run; what is not named stays."""

    version = serializers.IntegerField(
        required=False, min_value=0, help_text="the version that was seen, 0 for none; without it any is changed"
    )
    tags = serializers.ListField(required=False, child=TagField(), max_length=marks.MAX_TAGS)
    colour = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=9)
    note = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_NOTE, trim_whitespace=False, help_text="Markdown"
    )
    pinned = serializers.BooleanField(required=False)
    archived = serializers.BooleanField(required=False)
    icon = serializers.IntegerField(required=False, min_value=0, max_value=MAX_ICON, help_text="0 for none")
    hidden = serializers.BooleanField(required=False, help_text="not drawn on the page of lineage")
    baseline = serializers.BooleanField(required=False, help_text="true takes it away from the run that had it")


class ManyMarksChangeSerializer(_Strict):
    """What changes for several runs alike; what is not named stays."""

    runs = serializers.ListField(
        child=serializers.RegexField(r"^[0-9a-f]{32}\Z"), min_length=1, max_length=MAX_RUNS, help_text="ids"
    )
    add_tags = serializers.ListField(required=False, default=list, child=TagField(), max_length=marks.MAX_TAGS)
    remove_tags = serializers.ListField(required=False, default=list, child=TagField(), max_length=marks.MAX_TAGS)
    colour = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=9)
    pinned = serializers.BooleanField(required=False)
    archived = serializers.BooleanField(required=False)
    icon = serializers.IntegerField(required=False, min_value=0, max_value=MAX_ICON, help_text="0 for none")
    hidden = serializers.BooleanField(required=False)
    versions = serializers.DictField(
        required=False,
        default=dict,
        child=serializers.IntegerField(min_value=0),
        help_text="by id, the version that was seen, 0 for none; runs that are not named are changed anyhow",
    )


class ManyMarksSerializer(serializers.Serializer[Any]):
    """The new marks of several runs."""

    marks = serializers.DictField(child=MarksSerializer(), help_text="by the runs' ids")


class RunMarksView(APIView):
    """What people note about one run."""

    @extend_schema(
        operation_id="change_run_marks",
        request=MarksChangeSerializer,
        responses={200: MarksSerializer, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def patch(self, request: Request, uid: str) -> Response:
        """Changes marks of a run and answers the new ones; refuses when somebody else changed them meanwhile."""
        changes = _read(MarksChangeSerializer, request)
        version = changes.pop("version", None)
        if "tags" in changes:
            changes["tags"] = list(dict.fromkeys(changes["tags"]))
        (run,) = runs_of([uid])
        try:
            return Response(marks.change(run, changes, version))
        except marks.StaleMarks as stale:
            message = f"The marks of {run.name} were changed since version {version}; look at them and change again."
            raise Problem("stale_marks", message, 409, id=uid, marks=stale.now[uid]) from None


class ManyRunMarks(APIView):
    """What people note about runs."""

    @extend_schema(
        operation_id="change_marks_of_runs",
        request=ManyMarksChangeSerializer,
        responses={200: ManyMarksSerializer, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def patch(self, request: Request) -> Response:
        """Changes marks of many runs at once: all, or none where one is unknown or was changed by somebody else."""
        changes = _read(ManyMarksChangeSerializer, request)
        runs = runs_of(list(dict.fromkeys(changes.pop("runs"))))
        added, removed, versions = changes.pop("add_tags"), changes.pop("remove_tags"), changes.pop("versions")
        try:
            return Response({"marks": marks.change_many(runs, changes, added, set(removed), versions)})
        except marks.StaleMarks as stale:
            message = f"The marks of {len(stale.now)} of these runs were changed meanwhile; nothing was changed now."
            raise Problem("stale_marks", message, 409, marks=stale.now) from None
        except marks.TooManyTags as error:
            message = f"{error} would have more than {marks.MAX_TAGS} tags. Take some away first."
            raise Problem("too_many_tags", message, 400, run=str(error), limit=marks.MAX_TAGS) from None


def _read(shape: type[_Strict], request: Request) -> dict[str, Any]:
    """Returns the request's body as `shape` understands it.

    Raises:
        Problem: `bad_parameter`, for the first value that is wrong.
    """
    body = shape(data=request.data)
    if body.is_valid():
        return dict(body.validated_data)
    name, errors = next(iter(body.errors.items()))
    reason = _first(errors)
    raise Problem("bad_parameter", f"'{name}' is wrong: {reason}", parameter=str(name), reason=reason)


def _first(errors: Any) -> str:
    """Returns the first sentence of errors, which may lie in lists and by index."""
    while isinstance(errors, (dict, list)):
        errors = next(iter(errors.values() if isinstance(errors, dict) else errors))
    return str(errors)


def runs_of(ids: list[str]) -> list[Run]:
    """Returns runs in order of their ids.

    Raises:
        Problem: `run_not_found`, for the first that is unknown.
    """
    found: dict[str, Run] = {}
    for start in range(0, len(ids), 500):
        found.update((run.uid.hex, run) for run in Run.objects.filter(uid__in=ids[start : start + 500]))
    for uid in ids:
        if uid not in found:
            raise Problem("run_not_found", f"There is no run {uid}; it may have been removed.", 404, id=uid)
    return [found[uid] for uid in ids]
