"""pandas over SQLAlchemy and psycopg2."""

import csv
import io

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


def lab(frame, name, **more):
    return frame.to_sql(name, engine, schema="lab", **more)


FRAME = pd.DataFrame({
    "i": [1, 2, 3], "nullable": pd.array([1, None, 3], dtype="Int32"), "f": [1.5, None, float("inf")], "b": [True, False, True], "s": ["a", None, "é€😀"],
    "at": pd.to_datetime(["2026-01-01T00:00:00.123456Z", None, "1969-12-31T00:00:00Z"], format="ISO8601"),
    "d": [datetime.date(2026, 1, 1), None, datetime.date(1900, 1, 1)], "t": [datetime.time(1, 2, 3), None, datetime.time(0, 0)], "c": pd.Categorical(["x", "y", "x"]),
})


@case("to_sql, if_exists fail, replace, append and delete_rows")
def _():
    lab(FRAME, "modes")
    try:
        lab(FRAME, "modes")
    except ValueError as e:
        equal(str(e), "Table 'modes' already exists.")
    else:
        raise AssertionError("no error")
    lab(FRAME, "modes", if_exists="append")
    equal(len(pd.read_sql_table("modes", engine, schema="lab")), 6)
    lab(FRAME, "modes", if_exists="replace", index_label="k")
    lab(FRAME, "modes", if_exists="delete_rows", index_label="k")
    equal([i["name"] for i in sa.inspect(engine).get_indexes("modes", schema="lab")], ["ix_lab_modes_k"])
    got = pd.read_sql_table("modes", engine, schema="lab", index_col="k").sort_index()
    equal([got[c][2] for c in ("i", "nullable", "f", "b", "s", "t", "c")], [3, 3.0, float("inf"), True, "é€😀", datetime.time(0, 0), "x"])
    equal((got["at"][2].isoformat(), got.d.isna().tolist(), got.nullable.isna().tolist()), ("1969-12-31T00:00:00+00:00", [False, True, False], [False, True, False]))


@case("to_sql, method multi and chunks")
def _():
    many = pd.DataFrame({"a": range(3000), "t": "x"})
    lab(many, "many", index=False, method="multi", chunksize=1000)
    lab(many, "many", index=False, if_exists="append", chunksize=700)
    equal(pd.read_sql("SELECT count(*), sum(a)::bigint FROM lab.many", engine).values.tolist(), [[6000, 2999 * 3000]])


@case("to_sql, a method that copies")
def _():
    def copied(table, conn, keys, rows):
        lines = io.StringIO()
        csv.writer(lines).writerows(rows)
        lines.seek(0)
        with conn.connection.cursor() as cursor:
            cursor.copy_expert(f"COPY {table.schema}.{table.name} ({', '.join(keys)}) FROM STDIN WITH (FORMAT csv)", lines)

    lab(pd.DataFrame({"a": range(3000), "t": 'x,"y"'}), "copied", index=False, method=copied)
    equal(pd.read_sql("SELECT count(*), max(t) FROM lab.copied", engine).values.tolist(), [[3000, 'x,"y"']])


@case("to_sql, an index of several columns")
def _():
    lab(pd.DataFrame({"v": [1, 2]}, index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"])), "levels")
    equal(sorted(i["name"] for i in sa.inspect(engine).get_indexes("levels", schema="lab")), ["ix_lab_levels_x", "ix_lab_levels_y"])
    equal(pd.read_sql_table("levels", engine, schema="lab", index_col=["x", "y"]).loc[("b", 2), "v"], 2)


@case("to_sql, dtype")
def _():
    pg = sa.dialects.postgresql
    frame = pd.DataFrame({"id": [1, 2], "n": [decimal.Decimal("1.50"), decimal.Decimal("12345678901234567890.123456789")], "u": [uuid.UUID(int=5), None],
                          "j": [{"a": [1]}, None], "bt": [b"\0\1", None], "v": ["a", "b"], "arr": [[1, 2], None]})
    lab(frame, "typed", index=False, dtype={"id": sa.SmallInteger, "n": sa.Numeric(38, 9), "u": sa.Uuid, "j": pg.JSONB, "bt": sa.LargeBinary, "v": sa.String(3), "arr": sa.ARRAY(sa.Integer)})
    equal([str(c["type"]) for c in sa.inspect(engine).get_columns("typed", schema="lab")], ["SMALLINT", "NUMERIC(38, 9)", "UUID", "JSONB", "BYTEA", "VARCHAR(3)", "ARRAY"])
    got = pd.read_sql_table("typed", engine, schema="lab")
    equal([got[c][0] for c in ("id", "u", "j", "arr")], [1, uuid.UUID(int=5), {"a": [1]}, [1, 2]])
    equal(pd.read_sql("SELECT n FROM lab.typed", engine, coerce_float=False).n.tolist(), [decimal.Decimal("1.500000000"), decimal.Decimal("12345678901234567890.123456789")])


@case("to_sql in a transaction that is rolled back")
def _():
    with engine.connect() as c:
        with c.begin() as t:
            pd.DataFrame({"a": [1]}).to_sql("undone", c, schema="lab", index=False)
            t.rollback()
    equal(sa.inspect(engine).has_table("undone", schema="lab"), False)


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
