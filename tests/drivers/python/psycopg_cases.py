"""psycopg 3: libpq, the extended protocol, text and binary."""

import psycopg
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo
from psycopg.types.json import Jsonb

from cases import *

about("psycopg", psycopg.__version__)


def connect(**more):
    return psycopg.connect(**{"dbname": "onto", **more})


con = connect()


def rows(sql, args=None, **how):
    return con.cursor(**how).execute(sql, args).fetchall()


def connected():
    equal(rows("SELECT current_user"), [("ada",)])
    try:
        connect(password="wrong")
    except psycopg.OperationalError as e:
        if "password authentication failed" not in str(e):
            raise
    else:
        raise AssertionError("a wrong password is let in")


def tables():
    equal(rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"),
          [("customer",), ("product",), ("purchase",), ("sample",)])


def types(binary):
    equal(rows(SELECT_SAMPLE, binary=binary), SAMPLE)
    for name, value in VALUES.items():
        equal((name, rows(f"SELECT %s::{name}", [value], binary=binary)), (name, [(value,)]))


def parameters(form):
    for name, value in VALUES.items():
        equal((name, rows(f"SELECT %{form}::{name}, %{form}::{name} IS NULL", [value, None])), (name, [(value, True)]))
    equal(rows(f"SELECT %{form}::jsonb", [Jsonb({"a": [1, None]})]), [({"a": [1, None]},)])


def insert():
    row = [Jsonb(v) if isinstance(v, dict) else v for v in ("new",) + SAMPLE[0][1:]]
    equal(con.execute("INSERT INTO sample VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", row).rowcount, 1)
    con.commit()
    equal(rows("SELECT * FROM sample WHERE id = 'new'"), [("new",) + SAMPLE[0][1:]])


def rollback():
    with con.transaction(force_rollback=True):
        equal(rows("INSERT INTO customer VALUES (%s, %s) RETURNING id", ("gone", "G")), [("gone",)])
    equal(rows("SELECT count(*) FROM customer WHERE id = 'gone'"), [(0,)])


def temporary():
    with con.transaction():
        con.execute(CREATE_PICKED)
        con.cursor().executemany("INSERT INTO picked VALUES (%s, %s, %s)", [(1, "one", None), (2, "two", 1.5)])
        equal(rows("UPDATE picked SET note = note || %s WHERE id = 2 RETURNING note", ["!"]), [("two!",)])
        equal(con.execute("DELETE FROM picked WHERE id = %s", [1]).rowcount, 1)
        with con.cursor().copy("COPY picked (id, note) FROM STDIN (FORMAT binary)") as into:
            into.set_types(["int4", "text"])
            into.write_row((3, "copied"))
        equal(rows(SELECT_PICKED), PICKED)
    with fails("42P01", psycopg.Error):
        con.execute("TABLE picked")


def savepoint():
    with con.transaction():
        with contextlib.suppress(ValueError), con.transaction():
            con.execute("INSERT INTO customer VALUES ('inner', 'I')")
            raise ValueError
        equal(rows("SELECT count(*) FROM customer WHERE id = 'inner'"), [(0,)])


def views():
    for statement in CREATE_VIEW:
        con.execute(statement)
    con.commit()
    equal(rows(SELECT_VIEW, ["c1"]), [("Ada", 2, 4)])
    equal(rows("SELECT viewname::text FROM pg_views WHERE schemaname = 'shown'"), [("orders",)])
    con.execute(DROP_VIEW)
    con.commit()


def with_writes():
    equal(rows(WITH_WRITES, WITH_ARGS), [("c2", "Bea", 4000)])
    con.rollback()
    equal(rows("SELECT name FROM customer WHERE id = 'c2'"), [("Bob",)])


def error():
    with fails("22012", psycopg.Error):
        con.execute("SELECT 1 / 0")
    with fails("25P02", psycopg.Error):
        con.execute("SELECT 1")
    con.rollback()
    try:
        con.execute("SELECT nope FROM customer")
    except psycopg.errors.UndefinedColumn as e:
        equal(e.diag.statement_position, "8")
    con.rollback()
    equal(rows("SELECT 1"), [(1,)])


def metadata():
    columns = con.execute("SELECT id, n, ts FROM sample").description
    equal([(c.name, c.type_code) for c in columns], [("id", 25), ("n", 1700), ("ts", 1184)])
    equal(TypeInfo.fetch(con, "int4").oid, 23)
    equal(CompositeInfo.fetch(con, "customer").field_names, ("id", "name", "balance"))


def cancel():
    with fails("57014", psycopg.Error), cancelling(con.cancel):
        con.execute(ENDLESS)
    con.rollback()
    equal(rows("SELECT 1"), [(1,)])


def cancel_safe():
    with fails("57014", psycopg.Error), cancelling(lambda: con.cancel_safe(timeout=10)):
        con.execute(ENDLESS)


def prepared():
    for i in range(1, 9):
        equal(con.execute("SELECT title FROM product WHERE sku = %s", [i], prepare=True).fetchall(), [(f"product {i}",)])


def pipeline():
    with con.pipeline() as p:
        first = con.execute("SELECT 1")
        con.execute("INSERT INTO customer VALUES ('piped', 'P')")
        last = con.execute("SELECT count(*) FROM customer WHERE id = 'piped'")
        p.sync()
        equal((first.fetchone(), last.fetchone()), ((1,), (1,)))


def broken_pipeline():
    with fails("22012", psycopg.Error), con.pipeline() as p:
        con.execute("INSERT INTO customer VALUES ('broken', 'B')")
        con.execute("SELECT 1 / 0")
        con.execute("SELECT 2")
        p.sync()
    con.rollback()
    equal(rows("SELECT count(*) FROM customer WHERE id = 'broken'"), [(0,)])


def executemany():
    cursor = con.cursor()
    cursor.executemany("INSERT INTO product VALUES (%s, %s) RETURNING sku", [(7000 + i, "x") for i in range(100)], returning=True)
    got = [cursor.fetchone()[0]]
    while cursor.nextset():
        got.append(cursor.fetchone()[0])
    equal(got, list(range(7000, 7100)))


def server_cursor():
    for binary in False, True:
        with con.cursor("named", binary=binary, scrollable=True) as named:
            named.execute("SELECT sku FROM product ORDER BY sku")
            equal(named.fetchmany(2), [(1,), (2,)])
            named.scroll(998, mode="absolute")
            equal(named.fetchall(), [(999,), (1000,)])


def stream():
    equal(sum(1 for _ in con.cursor().stream("SELECT sku FROM product", size=50)), 1000)


def notify():
    con.autocommit = True
    con.execute("LISTEN news")
    con.execute("NOTIFY news, 'hello'")
    equal([(n.channel, n.payload) for n in con.notifies(timeout=10, stop_after=1)], [("news", "hello")])


def copy_text():
    with con.cursor().copy("COPY product FROM STDIN") as into:
        into.write_row((8000, "tab\there"))
        into.write_row((8001, "é"))
    with con.cursor().copy("COPY (SELECT * FROM product WHERE sku >= 8000 ORDER BY sku) TO STDOUT") as out:
        out.set_types(["int8", "text"])
        equal(list(out.rows()), [(8000, "tab\there"), (8001, "é")])


def copy_binary():
    types = ["text", "int8", "float8", "bool", "timestamptz", "date", "numeric", "uuid", "bytea", "jsonb", "text"]
    with con.cursor().copy("COPY sample FROM STDIN (FORMAT binary)") as into:
        into.set_types(types)
        for row in SAMPLE:
            into.write_row(("copy " + row[0],) + row[1:])
    with con.cursor().copy("COPY (SELECT * FROM sample WHERE id LIKE 'copy %' ORDER BY id) TO STDOUT (FORMAT binary)") as out:
        out.set_types(types)
        equal(list(out.rows()), [("copy " + row[0],) + row[1:] for row in SAMPLE])


def past(sql=BALANCE, **where):
    with connect(**where) as old:
        for statement in sql.split(";"):
            cursor = old.execute(statement)
        equal(cursor.fetchall(), [(10.0,)])


def recover():
    con.rollback()
    con.autocommit = False


for name, f in [
    ("connect", connected), ("channel_binding=require", lambda: connect(channel_binding="require").close()), ("tables", tables), ("types, text", lambda: types(False)), ("types, binary", lambda: types(True)),
    ("parameters, text", lambda: parameters("t")), ("parameters, binary", lambda: parameters("b")), ("insert", insert),
    ("rollback", rollback), ("temporary table", temporary), ("views", views), ("with", with_writes), ("savepoint", savepoint), ("error and recovery", error), ("metadata", metadata),
    ("cancel", cancel), ("cancel over TLS", cancel_safe),
    ("past: as_of.customer(p)", lambda: equal(rows(PAST_FUNCTION, [POINT]), [(10.0,)])),
    ("past: SET", lambda: past(PAST_SET + ";" + BALANCE)),
    ("past: options", lambda: past(options=PAST_OPTIONS)),
    ("past: FOR SYSTEM_TIME AS OF", lambda: equal(rows(PAST_SYSTEM_TIME, [POINT]), [(10.0,)])),
    ("past: database name", lambda: past(dbname=PAST_DATABASE)),
    ("prepared statements", prepared), ("pipeline", pipeline), ("pipeline with an error", broken_pipeline),
    ("executemany RETURNING", executemany), ("ServerCursor", server_cursor), ("stream", stream),
    ("LISTEN and NOTIFY", notify), ("COPY, text", copy_text), ("COPY, binary", copy_binary),
]:
    case(name, recover)(f)
