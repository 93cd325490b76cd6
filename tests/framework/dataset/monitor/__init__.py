"""Tests of what a running pipeline tells of itself."""
