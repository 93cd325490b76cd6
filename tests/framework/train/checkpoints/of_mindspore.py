"""Files that MindSpore 2.10.0 wrote (CPU, Linux), as base64.

`w` is [[1, 2], [3, 4]] in float32 and `h` [1.5, -3] in bfloat16, with `append_dict={"epoch_num": 3, "text": "é",
"empty": ""}`; safetensors has `w` and `epoch_num` alone. Encrypted files have the key `bytes(range(16))`.
"""

from __future__ import annotations

import base64

KEY = bytes(range(16))

_FILES = {
    "plain": (
        "CiQKAXcSHwgCCAISB0Zsb2F0MzIaEAAAgD8AAABAAABAQAAAgEAKFwoBaBISCAISCEJGbG9hdDE2GgTAP0DACh4KCWVwb2NoX251"
        "bRIREgVJbnQ2NBoIAwAAAAAAAAAKFQoEdGV4dBINCAASA3N0choE6QAAAAoWCgVlbXB0eRINCAASA3N0choEAAAAAA=="
    ),
    "crc_check": (
        "CiQKAXcSHwgCCAISB0Zsb2F0MzIaEAAAgD8AAABAAABAQAAAgEAKFwoBaBISCAISCEJGbG9hdDE2GgTAP0DACh4KCWVwb2NoX251"
        "bRIREgVJbnQ2NBoIAwAAAAAAAAAKFQoEdGV4dBINCAASA3N0choE6QAAAAoWCgVlbXB0eRINCAASA3N0choEAAAAAGNyY19udW0A"
        "AAAAAAD82pr5"
    ),
    "AES-GCM": (
        "2F46f3gxMCx5AxaPZzaodhf2xHCmAAAAEAAAAIeeUmtD6gPOdiPAhYplCeyOAAAAD6fqSi00S1BJyKeJp4UfBABNGOukBJm48fc8"
        "PnlejV+3LeEG+3jrBZ67hG9mR+x8ES5Wli7iTSS82sDMXORrGsb9xLat2EbsB6chLQEGaFjRmQH4rChBMvus/c/R8FAzavIc0snA"
        "zqjFf/oQupAshfFqc7KkKTM+lmLf1OpC6nzRjkt0Xg4f6pFEsZfF9A=="
    ),
    "AES-CBC": (
        "2V46f6gAAAAQAAAA85WobWtykLu3a+14oaHpSZAAAABnCgilGHD11endJpJlkQKCgitYdhcvLI/X7LCK3fq/Gu/6m9rneSJApgGc"
        "AQOcXAcP0cgOTD1G513PTJP+mTUXw6TO+AmzLgVXdstynctztAH4iJQR2ML063pIc3ysxAsbLGSOeht6zI5EBVcxrHeKmTh6XJWN"
        "vL7LB+XFpdbEV42zYC3mEACOzRMSVt12A2Y="
    ),
    "SM4-CBC": (
        "2l46f6gAAAAQAAAAs7NFPwb1seEvz/Mib3r8+pAAAAA9zDyDrt/iJSobVP/sjZ78Q0pXTRKepN4L8A0R6+HcbtoBDr1rxBNvgpLy"
        "K9f6Uy3xtovPsN0RLtVdhsZejIJW6PK2ai90w5F47Agn8XT6H8JQ/lkhyYZOLECtnei2WAVYl29EKzQ75M+G0ZnIunky5FTO3hRh"
        "eQ+05Ydx2Qnj9TX0wi9mf7qrNUH6DJgK2co="
    ),
    "safetensors": (
        "sAAAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJmb3JtYXQiOiJtcyIsImNyY19udW0iOiIxNDYyNjIxNTExIn0sImVwb2NoX251bSI6"
        "eyJkdHlwZSI6Ikk2NCIsInNoYXBlIjpbXSwiZGF0YV9vZmZzZXRzIjpbMCw4XX0sInciOnsiZHR5cGUiOiJGMzIiLCJzaGFwZSI6"
        "WzIsMl0sImRhdGFfb2Zmc2V0cyI6WzgsMjRdfX0gICAgIAMAAAAAAAAAAACAPwAAAEAAAEBAAACAQA=="
    ),
}


def file_of_mindspore(kind: str) -> bytes:
    """What MindSpore wrote: `plain`, `crc_check`, a mode of encryption, or `safetensors`."""
    return base64.b64decode(_FILES[kind])
