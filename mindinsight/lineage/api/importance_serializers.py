"""The shapes of what mattered for the OpenAPI schema; a test holds real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.runs.api.serializers import ColumnValueField

_KINDS = ["number", "log", "category"]


class NoticeSerializer(serializers.Serializer[Any]):
    """What a reader has to know; further keys by code, see `api.md`."""

    code = serializers.ChoiceField(
        choices=[
            *("too_few", "confounded", "no_signal", "constant", "identifier", "same", "many_values"),
            *("no_target", "not_numeric", "constant_target"),
        ]
    )
    n = serializers.IntegerField(required=False, help_text="runs there are")
    least = serializers.IntegerField(required=False, help_text="runs there should be")
    runs = serializers.IntegerField(required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False, help_text="parameters")
    name = serializers.CharField(required=False, help_text="parameter")
    strength = serializers.FloatField(required=False, help_text="of the association, 0 to 1")
    r2 = serializers.FloatField(required=False)
    shown = serializers.IntegerField(required=False, help_text="values that are told apart")
    value = serializers.FloatField(required=False, help_text="of the target")


class FitSerializer(serializers.Serializer[Any]):
    """How much of the target's variance the forest explains of runs that it has not seen."""

    r2 = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class ParameterSerializer(serializers.Serializer[Any]):
    """One parameter; intervals are 95 %."""

    name = serializers.CharField()
    same = serializers.ListField(child=serializers.CharField(), help_text="others that always change with it")
    kind = serializers.ChoiceField(choices=_KINDS)
    importance = serializers.FloatField(help_text="share of the target's variance that goes with it; 0 is nothing")
    low = serializers.FloatField()
    high = serializers.FloatField()
    rank = serializers.FloatField(allow_null=True, help_text="Spearman's correlation with the target")
    rank_low = serializers.FloatField(allow_null=True)
    rank_high = serializers.FloatField(allow_null=True)
    set = serializers.IntegerField(help_text="runs that have it")
    distinct = serializers.IntegerField(help_text="values that occur")


class InteractionSerializer(serializers.Serializer[Any]):
    """What two parameters do only together."""

    a = serializers.CharField()
    b = serializers.CharField()
    strength = serializers.FloatField(help_text="share of the target's variance")
    low = serializers.FloatField()
    high = serializers.FloatField()


class EffectAtSerializer(serializers.Serializer[Any]):
    """The target's mean at one value."""

    mean = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class EffectSerializer(serializers.Serializer[Any]):
    """Partial dependence: the target's mean over the runs, had all of them the same value."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=_KINDS)
    x = serializers.ListField(
        child=serializers.FloatField(allow_null=True), required=False, help_text="numbers; null for an infinity"
    )
    categories = serializers.ListField(child=ColumnValueField(), required=False)
    mean = serializers.ListField(child=serializers.FloatField())
    low = serializers.ListField(child=serializers.FloatField())
    high = serializers.ListField(child=serializers.FloatField())
    missing = EffectAtSerializer(allow_null=True, help_text="without a value; null where all runs have one")


class LeftOutSerializer(serializers.Serializer[Any]):
    """Runs that were not looked at, by reason."""

    no_target = serializers.IntegerField(required=False)
    not_finite = serializers.IntegerField(required=False)


class ImportanceSerializer(serializers.Serializer[Any]):
    """What mattered."""

    n = serializers.IntegerField(help_text="runs that were looked at")
    left_out = LeftOutSerializer()
    fit = FitSerializer(allow_null=True, help_text="null where nothing could be fitted")
    parameters = ParameterSerializer(many=True, help_text="the most important first")
    interactions = InteractionSerializer(many=True, help_text="of the six most important, the strongest first")
    effects = EffectSerializer(many=True, help_text="of the twelve most important")
    notices = NoticeSerializer(many=True)


class PartSerializer(serializers.Serializer[Any]):
    """What one parameter that differs would do."""

    name = serializers.CharField()
    same = serializers.ListField(child=serializers.CharField(), help_text="others that always change with it")
    run_value = ColumnValueField(allow_null=True)
    best_value = ColumnValueField(allow_null=True)
    change = serializers.FloatField(help_text="of the target, were the run's value that of the best run")
    low = serializers.FloatField()
    high = serializers.FloatField()


class TogetherSerializer(serializers.Serializer[Any]):
    """What all parameters that differ would do at once."""

    change = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class GapSerializer(serializers.Serializer[Any]):
    """Why a run is not the best one."""

    best = serializers.IntegerField(help_text="number of the best run")
    run = serializers.IntegerField()
    better = serializers.ChoiceField(choices=["min", "max"])
    best_value = serializers.FloatField(help_text="the target of the best run")
    run_value = serializers.FloatField()
    gap = serializers.FloatField(help_text="best_value - run_value")
    parts = PartSerializer(many=True, help_text="the largest change first")
    together = TogetherSerializer(allow_null=True)
    unexplained = serializers.FloatField(help_text="what is left of the gap")
    notices = NoticeSerializer(many=True)


class _AnswerSerializer(serializers.Serializer[Any]):
    """How far a study is."""

    state = serializers.ChoiceField(choices=["waiting", "running", "done", "failed"])
    progress = serializers.FloatField(help_text="share that is done, 0 to 1")
    problem = ErrorSerializer(allow_null=True, help_text="why it failed")
    outdated = serializers.BooleanField(help_text="whether the result is of older values, shown meanwhile")


class ImportanceAnswerSerializer(_AnswerSerializer):
    """How far the study is, and what it found."""

    result = ImportanceSerializer(allow_null=True)


class GapAnswerSerializer(_AnswerSerializer):
    """How far the study is, and what it found."""

    result = GapSerializer(allow_null=True)
