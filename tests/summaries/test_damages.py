"""Sentences about damaged places: whole in English, and taken apart for other languages."""

import string

import pytest

from summaries.damages import SENTENCES, Damage, DamageReason

EVERYTHING = {"claimed": 5000, "most": 1024, "length": 17, "error": "no varint {", "zeros": 4096, "tag": "b'{x}'"}


def named(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("code", SENTENCES)
def test_every_damage_has_a_reason_and_a_sentence(code):
    detail = {name: EVERYTHING[name] for name in named(SENTENCES[code][1]) - {"offset"}}
    damage = Damage(7, 20, code, detail)
    assert damage.reason in DamageReason
    assert "byte 7" in damage.message
    assert damage.message.endswith(".")
    assert all(str(value) in damage.message for value in detail.values())


def test_what_was_passed_over_is_said_once_it_is_known():
    damage = Damage(7, 0, "length_crc")
    sentence = "The record at byte 7 has a length that fails its checksum."
    assert damage.message == sentence
    followed, last = damage.passed_over(107, 100), damage.passed_over(None, 100)
    assert (followed.length, followed.detail) == (100, {"skipped": 100, "next": 107})
    assert followed.message == f"{sentence} 100 bytes were skipped; the next valid record is at byte 107."
    assert (last.length, last.message) == (100, f"{sentence} No valid record follows.")
