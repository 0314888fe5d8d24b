"""DuckDB's postgres extension: libpq, binary COPY."""

import glob
import math
import os

import duckdb
import duckdb_extension_postgres_scanner

from cases import *

about("DuckDB", duckdb.__version__)
packaged = os.path.dirname(duckdb_extension_postgres_scanner.__file__)
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
db.load_extension(glob.glob(packaged + "/**/postgres_scanner.duckdb_extension", recursive=True)[0])


def run(sql):
    return db.execute(sql).fetchall()


def attach(name, where=""):
    run(f"ATTACH '{where}' AS {name} (TYPE postgres)")


def types():
    rows = run("SELECT id, i, f, b, ts, d, n, u, bt, j, s FROM onto.sample ORDER BY id")
    equal([r[:6] + r[7:9] + r[10:] for r in rows], [r[:6] + r[7:9] + r[10:] for r in SAMPLE])
    equal([json.loads(r[9]) for r in rows[:2]], [r[9] for r in SAMPLE[:2]])
    for got, want in zip(rows[:2], SAMPLE):
        # The extension makes a double of a numeric without a precision.
        equal(math.isclose(got[6], float(want[6])), True)


def insert():
    run("INSERT INTO onto.customer VALUES ('duck', 'D', 1.5)")
    run("INSERT INTO onto.product SELECT i, 'x' FROM range(5000, 8000) t(i)")
    equal(run("SELECT * FROM postgres_query('onto', 'SELECT count(*) FROM product WHERE sku >= 5000')"), [(3000,)])


def scan():
    equal(run("SELECT count(*), count(title) FROM onto.product WHERE sku BETWEEN 1 AND 1000"), [(1000, 1000)])


def scan_without_ctid():
    run("SET pg_use_ctid_scan = false")
    scan()


def rollback():
    run("BEGIN")
    run("INSERT INTO onto.customer VALUES ('gone', 'G', NULL)")
    run("ROLLBACK")
    equal(run("SELECT count(*) FROM onto.customer WHERE id = 'gone'"), [(0,)])


def error():
    try:
        run("INSERT INTO onto.customer VALUES ('c1', 'Again', NULL)")
    except duckdb.Error as e:
        equal("already exists" in str(e) or "duplicate key" in str(e), True)
    else:
        raise AssertionError("no error")
    equal(run("SELECT count(*) FROM onto.customer WHERE id = 'c1'"), [(1,)])


def made():
    run("CREATE SCHEMA onto.lab")
    run("CREATE TABLE onto.lab.made AS SELECT i AS id, 'title ' || i AS title, i / 4 AS share, DATE '2026-01-01' + i::INTEGER AS day FROM range(3000) t(i)")
    equal(run("SELECT count(*), sum(id), max(share), max(day) FROM onto.lab.made"), [(3000, 2999 * 1500, 749.75, datetime.date(2034, 3, 19))])
    run("CREATE TABLE onto.lab.keyed (id INTEGER PRIMARY KEY, note VARCHAR DEFAULT 'none')")
    run("CREATE OR REPLACE VIEW onto.lab.few AS SELECT * FROM lab.made WHERE id < 10")
    equal(run("SELECT count(*) FROM onto.lab.few"), [(10,)])


def written():
    run("INSERT INTO onto.lab.keyed (id) VALUES (1), (2), (3)")
    run("BEGIN")
    run("INSERT INTO onto.lab.keyed (id) VALUES (4)")
    run("ROLLBACK")
    run("CALL postgres_execute('onto', 'UPDATE lab.keyed SET note = ''two'' WHERE id = 2')")
    run("CALL postgres_execute('onto', 'DELETE FROM lab.keyed WHERE id = 3')")
    equal(run("SELECT * FROM onto.lab.keyed ORDER BY id"), [(1, "none"), (2, "two")])


def changed():
    run("CREATE TABLE onto.lab.goods AS SELECT i AS id, 'title ' || i AS title FROM range(3000) t(i)")
    run("UPDATE onto.lab.goods SET title = upper(title) || '!' WHERE id % 3 = 0")
    equal(run("SELECT count(*), min(id), count(*) FILTER (WHERE title LIKE 'TITLE %!') FROM onto.lab.goods"), [(3000, 0, 1000)])
    run("BEGIN")
    run("UPDATE onto.lab.goods SET title = 'one' WHERE id = 1")
    run("DELETE FROM onto.lab.goods WHERE id > 1")
    equal(run("SELECT * FROM onto.lab.goods ORDER BY id"), [(0, "TITLE 0!"), (1, "one")])
    run("ROLLBACK")
    run("DELETE FROM onto.lab.goods WHERE id % 2 = 1")
    equal(run("SELECT count(*), sum(id) FROM onto.lab.goods"), [(1500, 2248500)])


def past(name, where, sql="SELECT balance FROM {}.customer WHERE id = 'c1'"):
    attach(name, where)
    equal(run(sql.format(name)), [(10.0,)])


case("connect")(lambda: attach("onto"))
case("tables")(lambda: equal(run("SELECT table_name FROM information_schema.tables WHERE table_catalog = 'onto' AND table_schema = 'public' ORDER BY 1"),
                             [("customer",), ("product",), ("purchase",), ("sample",)]))
case("types")(types)
case("aggregate and filter")(lambda: equal(run("SELECT count(*), max(title) FROM onto.product WHERE sku < 10"), [(9, "product 9")]))
case("insert")(insert)
case("rollback")(rollback)
case("error and recovery")(error)
case("create and drop a table")(lambda: (run("CREATE TABLE onto.made (id VARCHAR PRIMARY KEY, v BIGINT)"), run("DROP TABLE onto.made")))
case("CREATE TABLE AS in the workspace")(made)
case("INSERT and postgres_execute in the workspace")(written)
case("UPDATE and DELETE in the workspace")(changed)
case("scan after writes")(scan)
case("scan, pg_use_ctid_scan = false")(scan_without_ctid)
case("past: history")(lambda: equal(run(f"SELECT balance FROM onto.history.customer WHERE id = 'c1' AND commit_id = {POINT}"), [(10.0,)]))
case("past: as_of.customer(p)")(lambda: equal(run(f"SELECT * FROM postgres_query('onto', 'SELECT balance FROM as_of.customer({POINT}) WHERE id = ''c1''')"), [(10.0,)]))
case("past: FOR SYSTEM_TIME AS OF")(lambda: equal(run(f"SELECT * FROM postgres_query('onto', 'SELECT balance FROM customer FOR SYSTEM_TIME AS OF {POINT} WHERE id = ''c1''')"), [(10.0,)]))
case("past: options")(lambda: past("opts", f"options=''{PAST_OPTIONS}''"))
case("past: database name")(lambda: past("named", f"dbname={PAST_DATABASE}"))
