"""Runs commands of dbt in one process, one after the other.

Each line of the standard input is a command as a JSON array. For each, a line of JSON says
whether it succeeded, and what became of its nodes.
"""

import json
import sys

from dbt.cli.main import dbtRunner

dbt = dbtRunner()
for line in sys.stdin:
    args = json.loads(line)
    result = dbt.invoke([*args[:1], "--quiet", *args[1:]])
    nodes = {}
    for r in getattr(result.result, "results", None) or []:
        node = getattr(r, "node", None)
        if node is not None:
            nodes[node.name] = [str(r.status), r.message or ""]
    print(json.dumps({"command": args, "success": result.success, "error": str(result.exception or ""), "nodes": nodes}), flush=True)
