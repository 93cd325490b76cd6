"""Runs that are written to a dashboard over the network: `SummaryWriter("http://host:8080/name")`.

The values go to event files in a *spool*, a directory on this machine, exactly as they would go to a run's directory.
A thread sends the new bytes of these files to the dashboard, which appends them to files of its own. What could not be
sent stays in the spool; the next writer for the same dashboard sends it, or `python -m summaries.remote`.

- `address`: the address of a dashboard and of a run in it. The debugger's link uses it, too.
- `spool`: the directory of one run on this machine.
- `transport`: the requests; `mindinsight/incoming/api.md` is their contract.
- `uploads`: what is left to send of a spool's files.
- `sender`: the thread. `RemoteRun` is what the summary writer holds.
"""
