"""MindSpore's `JitConfig`: compiler options, which are recorded so that scripts run unchanged."""

from __future__ import annotations

__all__ = ["JitConfig"]


class JitConfig:
    """Options of MindSpore's compilers, for `Cell.set_jit_config`. They have no effect on results.

    Args:
        jit_level: "", "O0", "O1" or "O2".
        exc_mode: "auto", "sink" or "no_sink".
        jit_syntax_level: "", "STRICT" or "LAX".
        debug_level: "RELEASE" or "DEBUG".
        infer_boost: "on" or "off".
        kwargs: further ones.

    Raises:
        ValueError: `jit_level` is none of these.

    """

    def __init__(
        self, jit_level: str = "", exc_mode: str = "auto", jit_syntax_level: str = "", debug_level: str = "RELEASE",
        infer_boost: str = "off", **kwargs: object,
    ) -> None:  # fmt: skip
        if jit_level not in ("", "O0", "O1", "O2"):
            raise ValueError(f"jit_level must be '', 'O0', 'O1' or 'O2', not {jit_level!r}")
        self.jit_config_dict: dict[str, object] = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }
