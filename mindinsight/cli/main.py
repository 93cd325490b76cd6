"""The entry point of the `mindinsight` command. Each subcommand is a module in this folder."""

from __future__ import annotations

import click

import mindinsight
from mindinsight.cli.converting import check, convert
from mindinsight.cli.dump import dump
from mindinsight.cli.export import export
from mindinsight.cli.import_ import import_
from mindinsight.cli.parse_summary import parse_summary
from mindinsight.cli.profile import profile
from mindinsight.cli.run import run
from mindinsight.cli.start import start
from mindinsight.cli.status import status
from mindinsight.cli.stop import stop
from mindinsight.cli.substructures import substructures


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mindinsight.__version__, prog_name="mindinsight")
def main() -> None:
    """See a training live, compare runs, look inside.

    `mindinsight start` in the directory that your trainings write to opens the dashboard.
    """


main.add_command(start)
main.add_command(stop)
main.add_command(status)
main.add_command(export)
main.add_command(import_)
main.add_command(parse_summary)
main.add_command(substructures)
main.add_command(dump)
main.add_command(run)
main.add_command(check)
main.add_command(convert)
main.add_command(profile)
