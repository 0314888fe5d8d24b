"""Writes the tables of a TPC benchmark as CSV, and tells of them and of its queries as JSON.

    generate.py tpch|tpcds SCALE DIRECTORY
"""

import importlib.util
import json
import pathlib
import sys

import duckdb

benchmark, scale, directory = sys.argv[1:]
package = pathlib.Path(importlib.util.find_spec("duckdb_extension_" + benchmark).origin).parent
generator = {"tpch": "dbgen", "tpcds": "dsdgen"}[benchmark]

db = duckdb.connect()
db.execute(f"LOAD '{package}/extensions/v{duckdb.__version__}/{benchmark}.duckdb_extension'")
db.execute(f"CALL {generator}(sf = {float(scale)})")
tables = []
for (name,) in db.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
    columns = db.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [name]).fetchall()
    path = f"{directory}/{name}.csv"
    db.execute(f"COPY (SELECT row_number() OVER (), * FROM {name}) TO '{path}' (FORMAT csv, HEADER false)")
    tables.append({"name": name, "path": path, "columns": [{"name": n, "type": t} for n, t in columns]})
queries = [q for (q,) in db.execute(f"SELECT query FROM {benchmark}_queries() ORDER BY query_nr").fetchall()]
json.dump({"tables": tables, "queries": queries}, sys.stdout)
