"""pandas over SQLAlchemy and psycopg2."""

import pandas as pd
import sqlalchemy as sa

from cases import *

about("pandas", pd.__version__)
engine = sa.create_engine("postgresql+psycopg2://")


@case("read_sql_table, every type")
def _():
    sample = pd.read_sql_table("sample", engine, index_col="id").sort_index()
    equal(list(sample.columns), ["i", "f", "b", "ts", "d", "n", "u", "bt", "j", "s"])
    equal((sample.f["full"], sample.ts["full"].isoformat(), sample.s["full"]), (1.5, SAMPLE[0][4].isoformat(), SAMPLE[0][10]))


@case("read_sql_query with parameters")
def _():
    got = pd.read_sql_query(sa.text("SELECT title FROM product WHERE sku = :sku"), engine, params={"sku": 7})
    equal(got.title.tolist(), ["product 7"])


@case("read_sql in chunks, stream_results")
def _():
    with engine.connect().execution_options(stream_results=True) as c:
        equal([len(part) for part in pd.read_sql("SELECT * FROM product", c, chunksize=400)], [400, 400, 200])


@case("to_sql, append to a type")
def _():
    made = pd.DataFrame({"sku": range(5000, 5300), "title": "x"})
    equal(made.to_sql("product", engine, if_exists="append", index=False, method="multi"), 300)


@case("to_sql, append to a temporary table")
def _():
    with engine.begin() as c:
        c.execute(sa.text(CREATE_PICKED))
        pd.DataFrame({"id": [2, 3], "note": ["two!", "copied"], "weight": [1.5, None]}).to_sql("picked", c, if_exists="append", index=False)
        equal(pd.read_sql(sa.text(SELECT_PICKED), c).note.tolist(), ["two!", "copied"])


@case("to_sql, append with NULL and times")
def _():
    made = pd.DataFrame({"id": ["p1", "p2"], "f": [1.5, None], "ts": pd.to_datetime(["2026-01-01T00:00:00Z", None]), "b": [True, None]})
    made.to_sql("sample", engine, if_exists="append", index=False)
    equal(pd.read_sql("SELECT f FROM sample WHERE id = 'p2'", engine).f.isna().tolist(), [True])


@case("to_sql, a new table in the workspace")
def _():
    with engine.begin() as c:
        c.execute(sa.text("CREATE SCHEMA lab"))
    pd.DataFrame({"a": [1, 2]}).to_sql("made", engine, schema="lab", index=False)
    pd.DataFrame({"a": [3]}).to_sql("made", engine, schema="lab", index=False, if_exists="replace")
    equal(pd.read_sql("SELECT a FROM lab.made", engine).a.tolist(), [3])


@case("to_sql, a new table in public")
def _():
    pd.DataFrame({"a": [1]}).to_sql("nokey", engine, index=False)


@case("past: FOR SYSTEM_TIME AS OF")
def _():
    equal(pd.read_sql_query(sa.text(PAST_SYSTEM_TIME % ":p"), engine, params={"p": POINT}).balance.tolist(), [10.0])


@case("past: read_sql_table at a database name")
def _():
    old = sa.create_engine("postgresql+psycopg2://", connect_args={"dbname": PAST_DATABASE})
    equal(pd.read_sql_table("customer", old).balance.tolist()[0], 10.0)
