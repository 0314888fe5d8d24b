"""psqlODBC by pyodbc: libpq below the driver manager, text."""

import os

import pyodbc

from cases import *


def quoted(value):
    return "{" + value.replace("}", "}}") + "}"


def connect(database="onto", pq="", **more):
    """Connects; pq is what the driver hands to libpq as it stands."""
    words = {
        "Driver": "PostgreSQL Unicode", "Server": os.environ["PGHOST"], "Port": os.environ["PGPORT"], "Database": database,
        "UID": os.environ["PGUSER"], "PWD": quoted(os.environ["PGPASSWORD"]), "SSLmode": "verify-full", "BoolsAsChar": "0",
        "pqopt": quoted(f"sslrootcert={os.environ['PGSSLROOTCERT']} {pq}"),
    }
    return pyodbc.connect(";".join(f"{k}={v}" for k, v in {**words, **more}.items()))


con = connect()
cur = con.cursor()
about("psqlODBC", con.getinfo(pyodbc.SQL_DRIVER_VER).rsplit(".", 1)[0])


def rows(sql, *args):
    return [tuple(r) for r in cur.execute(sql, *args).fetchall()]


def connected():
    equal(rows("SELECT current_user"), [("ada",)])
    equal(con.getinfo(pyodbc.SQL_DBMS_NAME), "PostgreSQL")
    try:
        connect(PWD="wrong")
    except pyodbc.Error as e:
        if "password authentication failed" not in str(e):
            raise
    else:
        raise AssertionError("a wrong password is let in")


def tables():
    equal([r.table_name for r in cur.tables(schema="public").fetchall()], ["customer", "product", "purchase", "sample"])


def types():
    got = rows(SELECT_SAMPLE)
    want = [tuple(v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in r) for r in SAMPLE]
    for g, w in zip(got, want, strict=True):
        equal(g[:7] + g[8:9] + g[10:], w[:7] + w[8:9] + w[10:])
        equal((g[7] and uuid.UUID(g[7]), g[9] and json.loads(g[9])), (w[7], w[9]))


def parameters():
    for name in "integer", "bigint", "float8", "text", "bytea", "timestamp", "date", "time", "numeric", "boolean":
        value = VALUES[name]
        want = value.replace(microsecond=0) if name == "time" else value
        equal((name, rows(f"SELECT CAST(? AS {name})", want)), (name, [(want,)]))
        equal((name, rows(f"SELECT CAST(? AS {name})", None)), (name, [(None,)]))
    equal(rows("SELECT CAST(? AS uuid) = '00000000-0000-0000-0000-000000000005'", uuid.UUID(int=5)), [(True,)])


def insert():
    equal(cur.execute("INSERT INTO sample (id, i, f, b, ts, d, n, bt, s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", "new", 1, 1.5, True,
                      datetime.datetime(2026, 2, 10, 12), datetime.date(2026, 2, 10), decimal.Decimal("1.2"), b"\0\1", "x").rowcount, 1)
    con.commit()
    equal(rows("SELECT bt FROM sample WHERE id = 'new'"), [(b"\0\1",)])


def rollback():
    cur.execute("INSERT INTO customer VALUES (?, ?)", "gone", "G")
    con.rollback()
    equal(rows("SELECT count(*) FROM customer WHERE id = 'gone'"), [(0,)])


def temporary():
    cur.execute(CREATE_PICKED)
    cur.executemany("INSERT INTO picked VALUES (?, ?, ?)", [(1, "one", None), (2, "two", decimal.Decimal("1.5"))])
    equal(cur.execute("UPDATE picked SET note = note || ? WHERE id = 2", "!").rowcount, 1)
    equal(cur.execute("DELETE FROM picked WHERE id = ?", 1).rowcount, 1)
    cur.execute("INSERT INTO picked (id, note) VALUES (?, ?)", 3, "copied")
    equal(rows(SELECT_PICKED), PICKED)
    con.commit()
    try:
        cur.execute("TABLE picked")
    except pyodbc.Error as e:
        equal(e.args[0], "42P01")
    con.rollback()


def views():
    for statement in CREATE_VIEW:
        cur.execute(statement)
    con.commit()
    equal(rows(SELECT_VIEW.replace("%s", "?"), "c1"), [("Ada", 2, 4)])
    equal([r.table_name for r in cur.tables(schema="shown", tableType="VIEW")], ["orders"])
    cur.execute(DROP_VIEW)
    con.commit()


def with_writes():
    equal(rows(WITH_WRITES.replace("%s", "?"), *WITH_ARGS), [("c2", "Bea", 4000)])
    con.rollback()
    equal(rows("SELECT name FROM customer WHERE id = 'c2'"), [("Bob",)])


def error():
    try:
        cur.execute("SELECT 1 / 0")
    except pyodbc.Error as e:
        equal(e.args[0], "22012")
    con.rollback()
    equal(rows("SELECT 1"), [(1,)])


def metadata():
    equal([r.column_name for r in cur.columns(table="purchase").fetchall()], ["left_key", "right_key", "order_no", "qty"])
    equal([r.column_name for r in cur.primaryKeys(table="purchase").fetchall()], ["left_key", "right_key", "order_no"])
    equal(sorted(r.pktable_name for r in cur.foreignKeys(foreignTable="purchase").fetchall()), ["customer", "product"])
    equal([r.fktable_name for r in cur.foreignKeys(table="customer").fetchall()], ["purchase"])
    equal([r.index_name for r in cur.statistics(table="customer", unique=True).fetchall()], ["customer_pkey"])
    for look in cur.procedures, cur.getTypeInfo, lambda: cur.rowIdColumns(table="customer"), lambda: cur.rowVerColumns(table="customer"):
        look().fetchall()


def cancel():
    with cancelling(cur.cancel):
        try:
            cur.execute(ENDLESS)
        except pyodbc.Error as e:
            equal(e.args[0] in ("HY008", "57014"), True)
        else:
            raise AssertionError("not cancelled")


def many():
    cur.fast_executemany = True
    cur.executemany("INSERT INTO product VALUES (?, ?)", [(5000 + i, "x") for i in range(200)])
    equal(rows("SELECT count(*) FROM product WHERE sku >= 5000"), [(200,)])


def declare_fetch():
    c = connect(UseDeclareFetch="1", Fetch="70")
    equal(len(c.execute("SELECT sku FROM product").fetchall()), 1000)
    c.close()


def recover_by_statement():
    """Protocol 7.4-2: the driver sets a savepoint before each statement."""
    c = connect(Protocol="7.4-2")
    c.execute("INSERT INTO customer VALUES ('kept', 'K')")
    with contextlib.suppress(pyodbc.Error):
        c.execute("SELECT 1 / 0")
    equal(c.execute("SELECT count(*) FROM customer WHERE id = 'kept'").fetchone()[0], 1)
    c.rollback()
    c.close()


def past(sql=BALANCE, *args, **where):
    c = connect(**where)
    equal(c.execute(sql, *args).fetchone()[0], 10.0)
    c.close()


def past_set():
    c = connect()
    c.execute(PAST_SET)
    equal(c.execute(BALANCE).fetchone()[0], 10.0)
    c.close()


for name, f in [
    ("connect", connected), ("tables", tables), ("types, text", types), ("parameters", parameters), ("insert", insert),
    ("rollback", rollback), ("temporary table", temporary), ("views", views), ("with", with_writes), ("error and recovery", error), ("metadata", metadata), ("cancel", cancel),
    ("past: as_of.customer(p)", lambda: past(PAST_FUNCTION % "CAST(? AS bigint)", POINT)),
    ("past: SET", past_set),
    ("past: options", lambda: past(pq=f"options='{PAST_OPTIONS}'")),
    ("past: ConnSettings", lambda: past(ConnSettings=quoted(PAST_SET))),
    ("past: FOR SYSTEM_TIME AS OF", lambda: past(PAST_SYSTEM_TIME % "?", str(POINT))),
    ("past: database name", lambda: past(database=PAST_DATABASE)),
    ("fast_executemany", many), ("UseDeclareFetch", declare_fetch), ("Protocol 7.4-2", recover_by_statement),
]:
    case(name, con.rollback)(f)
