"""Writes curves with Aim's SDK; run with the Python of its environment by `page_aim`: `aim_writer.py REPO TAGS STEPS`.

Prints the name of the run.
"""

import sys

from aim import Run


def main() -> None:
    """Tracks the requested number of values of each tag."""
    repo, tags, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    run = Run(repo=repo, system_tracking_interval=None, capture_terminal_logs=False)
    for step in range(1, steps + 1):
        for tag in range(tags):
            run.track(tag + 1 / step + step % 7 / 100, name=f"metric_{tag}", step=step)
    run.close()
    sys.stdout.write(f"{run.hash}\n")


if __name__ == "__main__":
    main()
