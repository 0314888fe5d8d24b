"""psycopg2: libpq, the simple protocol, text."""

import io

import psycopg2
import psycopg2.errors
import psycopg2.extras

from cases import *

psycopg2.extras.register_uuid()
about("psycopg2", psycopg2.__version__.split()[0])


def connect(**more):
    return psycopg2.connect(**{"dbname": "onto", **more})


con = connect()
cur = con.cursor()


def rows(sql, args=None, cursor=cur):
    cursor.execute(sql, args)
    return cursor.fetchall()


def connected():
    equal(rows("SELECT current_user"), [("ada",)])
    equal(con.info.ssl_in_use, True)
    try:
        connect(password="wrong")
    except psycopg2.OperationalError as e:
        if "password authentication failed" not in str(e):
            raise
    else:
        raise AssertionError("a wrong password is let in")


def tables():
    equal(rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"),
          [("customer",), ("product",), ("purchase",), ("sample",)])


def plain(row):
    return tuple(v.tobytes() if isinstance(v, memoryview) else v for v in row)


def parameters():
    for name, value in VALUES.items():
        equal((name, plain(rows(f"SELECT %s::{name}", [value])[0])), (name, (value,)))


def types():
    equal([plain(row) for row in rows(SELECT_SAMPLE)], SAMPLE)


def insert():
    cur.execute("INSERT INTO sample VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [psycopg2.extras.Json(v) if isinstance(v, dict) else v for v in ("new",) + SAMPLE[0][1:]])
    equal(cur.rowcount, 1)
    con.commit()
    equal(rows("SELECT i, n, s FROM sample WHERE id = 'new'"), [(SAMPLE[0][1], SAMPLE[0][6], SAMPLE[0][10])])


def rollback():
    equal(rows("INSERT INTO customer VALUES (%s, %s) RETURNING id", ("gone", "G")), [("gone",)])
    con.rollback()
    equal(rows("SELECT count(*) FROM customer WHERE id = 'gone'"), [(0,)])


def temporary():
    cur.execute(CREATE_PICKED)
    cur.executemany("INSERT INTO picked VALUES (%s, %s, %s)", [(1, "one", None), (2, "two", 1.5)])
    equal(rows("UPDATE picked SET note = note || %s WHERE id = 2 RETURNING note", ["!"]), [("two!",)])
    cur.execute("DELETE FROM picked WHERE id = %s", [1])
    equal(cur.rowcount, 1)
    cur.copy_from(io.StringIO("3\tcopied\n"), "picked", columns=("id", "note"))
    equal(rows(SELECT_PICKED), PICKED)
    con.commit()
    with fails("42P01", psycopg2.Error):
        cur.execute("TABLE picked")
    con.rollback()


def views():
    for statement in CREATE_VIEW:
        cur.execute(statement)
    con.commit()
    equal(rows(SELECT_VIEW, ["c1"]), [("Ada", 2, 4)])
    equal(rows("SELECT viewname::text FROM pg_views WHERE schemaname = 'shown'"), [("orders",)])
    cur.execute(DROP_VIEW)
    con.commit()


def with_writes():
    equal(rows(WITH_WRITES, WITH_ARGS), [("c2", "Bea", 4000)])
    con.rollback()
    equal(rows("SELECT name FROM customer WHERE id = 'c2'"), [("Bob",)])


def error():
    with fails("22012", psycopg2.Error):
        cur.execute("SELECT 1 / 0")
    with fails("25P02", psycopg2.Error):
        cur.execute("SELECT 1")
    con.rollback()
    equal(rows("SELECT 1"), [(1,)])


def metadata():
    cur.execute("SELECT id, n, ts FROM sample")
    equal([(c.name, c.type_code) for c in cur.description], [("id", 25), ("n", 1700), ("ts", 1184)])


def cancel():
    with fails("57014", psycopg2.Error), cancelling(con.cancel):
        cur.execute(ENDLESS)
    con.rollback()
    equal(rows("SELECT 1"), [(1,)])


def cursor():
    with con.cursor("named") as named:
        named.itersize = 100
        named.execute("SELECT sku FROM product ORDER BY sku")
        equal(named.fetchmany(3), [(1,), (2,), (3,)])
        equal(len(named.fetchall()), 997)


def scrolling():
    with con.cursor("held", withhold=True, scrollable=True) as held:
        held.execute("SELECT sku FROM product ORDER BY sku")
        con.commit()
        held.scroll(10)
        equal(held.fetchone(), (11,))
        held.scroll(0, mode="absolute")
        equal(held.fetchone(), (1,))


def notify():
    con.autocommit = True
    cur.execute("LISTEN news")
    cur.execute("SELECT pg_notify('news', 'hello')")
    con.poll()
    equal([(n.channel, n.payload) for n in con.notifies], [("news", "hello")])
    cur.execute("UNLISTEN *")


def copy():
    cur.copy_from(io.StringIO("5001\tcopied\n5002\t\\N x\n".replace("\\N x", "x\\ty")), "product")
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT * FROM product WHERE sku > 5000 ORDER BY sku) TO STDOUT (FORMAT csv)", out)
    equal(out.getvalue(), "5001,copied\n5002,x\ty\n")


def execute_values():
    made = psycopg2.extras.execute_values(cur, "INSERT INTO product VALUES %s RETURNING sku",
                                          [(6000 + i, "x") for i in range(250)], fetch=True)
    equal(len(made), 250)


def encoding():
    latin = connect(client_encoding="LATIN1")
    cursor = latin.cursor()
    cursor.execute("INSERT INTO product VALUES (7000, %s)", ("é",))
    equal(rows("SELECT title, length(title) FROM product WHERE title = 'é'", cursor=cursor), [("é", 1)])
    out = io.BytesIO()
    cursor.copy_expert("COPY (SELECT title FROM product WHERE sku = 7000) TO STDOUT", out)
    equal(out.getvalue(), b"\xe9\n")
    try:
        cursor.execute("SELECT chr(8364)")
        raise AssertionError("the euro came")
    except psycopg2.errors.UntranslatableCharacter:
        pass
    latin.close()


def serializable():
    strict = connect()
    strict.set_session(isolation_level="SERIALIZABLE", readonly=True, deferrable=True)
    equal(rows("SHOW transaction_isolation", cursor=strict.cursor()), [("serializable",)])
    strict.close()


def two_phase():
    other = connect()
    try:
        other.tpc_begin(other.xid(1, "a", "b"))
        other.tpc_prepare()
    finally:
        other.close()


def past(sql=BALANCE, **where):
    with connect(**where) as old:
        cursor = old.cursor()
        for statement in sql.split(";"):
            cursor.execute(statement)
        equal(cursor.fetchall(), [(10.0,)])
    old.close()


def recover():
    con.rollback()
    con.autocommit = False


for name, f in [
    ("connect", connected), ("tables", tables), ("types, text", types), ("parameters", parameters), ("insert", insert),
    ("rollback", rollback), ("temporary table", temporary), ("views", views), ("with", with_writes), ("error and recovery", error), ("metadata", metadata), ("cancel", cancel),
    ("past: as_of.customer(p)", lambda: equal(rows(PAST_FUNCTION, [POINT]), [(10.0,)])),
    ("past: SET", lambda: past(PAST_SET + ";" + BALANCE)),
    ("past: options", lambda: past(options=PAST_OPTIONS)),
    ("past: FOR SYSTEM_TIME AS OF", lambda: equal(rows(PAST_SYSTEM_TIME, [POINT]), [(10.0,)])),
    ("past: database name", lambda: past(dbname=PAST_DATABASE)),
    ("cursor", cursor), ("cursor WITH HOLD, scrolled", scrolling), ("LISTEN and NOTIFY", notify), ("COPY", copy),
    ("execute_values", execute_values), ("client_encoding LATIN1", encoding), ("SERIALIZABLE READ ONLY DEFERRABLE", serializable),
    ("two-phase commit", two_phase),
]:
    case(name, recover)(f)
