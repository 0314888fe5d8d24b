"""Runs dbt's commands on the projects example and features, all in one process. The
environment says where the gateway is. The first command that does not end as it should ends
the program."""

import os
import sys

from dbt.cli.main import dbtRunner

example, features, scratch = sys.argv[1:4]


def dbt(project, *args, fails=()):
    os.environ["DBT_TARGET_PATH"] = os.path.join(scratch, os.path.basename(project))
    os.environ["DBT_LOG_PATH"] = scratch
    result = dbtRunner().invoke(["--quiet", *args, "--project-dir", project, "--profiles-dir", project])
    failed = []
    if hasattr(result.result, "results"):
        failed = [r.node.name for r in result.result.results if str(r.status) in ("error", "fail", "runtime error")]
    if result.exception or sorted(failed) != sorted(fails) or result.success == bool(fails):
        sys.exit(f"dbt {' '.join(args)} on {project}: failed are {failed}, want {list(fails)}: {result.exception or ''}")
    print("dbt", *args, flush=True)


dbt(example, "debug")
dbt(example, "build")
dbt(example, "build")
dbt(example, "source", "freshness")
dbt(features, "build")
round2 = "round: 2"
dbt(features, "build", "--vars", round2)
dbt(features, "run", "--select", "fails_at_first+", "--vars", "divisor: 0", fails=["fails_at_first"])
dbt(features, "retry", "--vars", "divisor: 1")
dbt(features, "run-operation", "add_event", "--args", "event: called")
dbt(features, "docs", "generate")
