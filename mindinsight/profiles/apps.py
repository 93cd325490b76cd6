"""Tells Django about the app."""

from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    """The app of profiles."""

    name = "mindinsight.profiles"
    label = "profiles"
