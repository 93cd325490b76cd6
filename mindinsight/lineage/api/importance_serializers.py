"""The shapes of "what mattered" for the OpenAPI schema. A test checks real answers against them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from mindinsight.api.answers import ErrorSerializer
from mindinsight.runs.api.serializers import ColumnValueField

_KINDS = ["number", "log", "category"]


class NoticeSerializer(serializers.Serializer[Any]):
    """A warning for the reader. `api.md` lists further keys by code."""

    code = serializers.ChoiceField(
        choices=[
            *("too_few", "confounded", "no_signal", "constant", "identifier", "same", "many_values"),
            *("no_target", "not_numeric", "constant_target", "incomplete", "incomplete_gap"),
        ]
    )
    n = serializers.IntegerField(required=False, help_text="number of available runs")
    least = serializers.IntegerField(required=False, help_text="number of required runs")
    runs = serializers.IntegerField(required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False, help_text="parameters")
    name = serializers.CharField(required=False, help_text="parameter")
    strength = serializers.FloatField(required=False, help_text="strength of the association, 0 to 1")
    r2 = serializers.FloatField(required=False)
    shown = serializers.IntegerField(required=False, help_text="number of distinguished values")
    value = serializers.FloatField(required=False, help_text="value of the target")


class FitSerializer(serializers.Serializer[Any]):
    """The share of the target's variance that the forest explains for runs that it has not seen."""

    r2 = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class ParameterSerializer(serializers.Serializer[Any]):
    """One parameter. Intervals are 95 %."""

    name = serializers.CharField()
    same = serializers.ListField(child=serializers.CharField(), help_text="others that always change with it")
    kind = serializers.ChoiceField(choices=_KINDS)
    importance = serializers.FloatField(help_text="share of the target's variance that it explains; 0 is nothing")
    low = serializers.FloatField()
    high = serializers.FloatField()
    rank = serializers.FloatField(allow_null=True, help_text="Spearman's correlation with the target")
    rank_low = serializers.FloatField(allow_null=True)
    rank_high = serializers.FloatField(allow_null=True)
    set = serializers.IntegerField(help_text="number of runs that have it")
    distinct = serializers.IntegerField(help_text="number of different values")


class InteractionSerializer(serializers.Serializer[Any]):
    """The joint effect of two parameters beyond their single effects."""

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
    """Partial dependence: the mean of the target over the runs if all of them had the same value."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=_KINDS)
    x = serializers.ListField(
        child=serializers.FloatField(allow_null=True), required=False, help_text="numbers; null for an infinity"
    )
    categories = serializers.ListField(child=ColumnValueField(), required=False)
    mean = serializers.ListField(child=serializers.FloatField())
    low = serializers.ListField(child=serializers.FloatField())
    high = serializers.ListField(child=serializers.FloatField())
    missing = EffectAtSerializer(allow_null=True, help_text="for runs without a value; null if all runs have one")


class LeftOutSerializer(serializers.Serializer[Any]):
    """Number of excluded runs, by reason."""

    no_target = serializers.IntegerField(required=False)
    not_finite = serializers.IntegerField(required=False)


class ImportanceSerializer(serializers.Serializer[Any]):
    """The importance of parameters."""

    n = serializers.IntegerField(help_text="number of examined runs")
    left_out = LeftOutSerializer()
    fit = FitSerializer(allow_null=True, help_text="null if nothing could be fitted")
    parameters = ParameterSerializer(many=True, help_text="the most important one first")
    interactions = InteractionSerializer(many=True, help_text="for the six most important ones, the strongest first")
    effects = EffectSerializer(many=True, help_text="for the twelve most important ones")
    notices = NoticeSerializer(many=True)


class PartSerializer(serializers.Serializer[Any]):
    """The predicted effect of one parameter that differs."""

    name = serializers.CharField()
    same = serializers.ListField(child=serializers.CharField(), help_text="others that always change with it")
    run_value = ColumnValueField(allow_null=True)
    best_value = ColumnValueField(allow_null=True)
    change = serializers.FloatField(help_text="change of the target if the run had the value of the best run")
    low = serializers.FloatField()
    high = serializers.FloatField()


class TogetherSerializer(serializers.Serializer[Any]):
    """The predicted effect of all parameters that differ together."""

    change = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class GapSerializer(serializers.Serializer[Any]):
    """The reasons why a run is not the best one."""

    best = serializers.IntegerField(help_text="number of the best run")
    run = serializers.IntegerField()
    better = serializers.ChoiceField(choices=["min", "max"])
    best_value = serializers.FloatField(help_text="the target of the best run")
    run_value = serializers.FloatField()
    gap = serializers.FloatField(help_text="best_value - run_value")
    parts = PartSerializer(many=True, help_text="the largest change first")
    together = TogetherSerializer(allow_null=True)
    unexplained = serializers.FloatField(help_text="remaining gap")
    notices = NoticeSerializer(many=True)


class _AnswerSerializer(serializers.Serializer[Any]):
    """The progress of a study."""

    state = serializers.ChoiceField(choices=["waiting", "running", "done", "failed"])
    progress = serializers.FloatField(help_text="progress, from 0 to 1")
    problem = ErrorSerializer(allow_null=True, help_text="reason of a failure")
    outdated = serializers.BooleanField(
        help_text="whether the result is from older values, until the new study is done"
    )


class ImportanceAnswerSerializer(_AnswerSerializer):
    """The progress of the study, and its result."""

    result = ImportanceSerializer(allow_null=True)


class GapAnswerSerializer(_AnswerSerializer):
    """The progress of the study, and its result."""

    result = GapSerializer(allow_null=True)
