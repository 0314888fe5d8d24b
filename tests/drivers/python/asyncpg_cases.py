"""asyncpg: its own protocol code, binary."""

import asyncio
import io
import json
import os
import ssl

import asyncpg

from cases import *

about("asyncpg", asyncpg.__version__)
loop = asyncio.new_event_loop()
run = loop.run_until_complete
trusted = ssl.create_default_context(cafile=os.environ["PGSSLROOTCERT"])


def connect(**more):
    return run(asyncpg.connect(ssl=trusted, **more))


con = connect()


def connected():
    equal(run(con.fetchval("SELECT current_user")), "ada")
    equal(con.get_server_version().major, 15)
    with fails("28P01", asyncpg.PostgresError):
        connect(password="wrong")


def tables():
    got = run(con.fetch("SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1", "public"))
    equal([r[0] for r in got], ["customer", "product", "purchase", "sample"])


def types():
    def plain(row):
        return tuple(json.loads(v) if k == "j" and v else uuid.UUID(int=v.int) if k == "u" and v else v for k, v in row.items())

    equal([plain(r) for r in run(con.fetch(SELECT_SAMPLE))], SAMPLE)


def parameters():
    for name, value in VALUES.items():
        equal((name, run(con.fetchval(f"SELECT $1::{name}", value))), (name, value))
        equal((name, run(con.fetchval(f"SELECT $1::{name}", None))), (name, None))
    equal(json.loads(run(con.fetchval("SELECT $1::jsonb", '{"a": 1}'))), {"a": 1})


def insert():
    row = [json.dumps(v) if isinstance(v, dict) else v for v in ("new",) + SAMPLE[0][1:]]
    equal(run(con.execute("INSERT INTO sample VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", *row)), "INSERT 0 1")
    equal(run(con.fetchval("SELECT n FROM sample WHERE id = 'new'")), SAMPLE[0][6])


def rollback():
    async def f():
        t = con.transaction()
        await t.start()
        await con.execute("INSERT INTO customer VALUES ($1, $2)", "gone", "G")
        await t.rollback()
        return await con.fetchval("SELECT count(*) FROM customer WHERE id = 'gone'")

    equal(run(f()), 0)


def temporary():
    async def f():
        async with con.transaction():
            await con.execute(CREATE_PICKED)
            await con.executemany("INSERT INTO picked VALUES ($1, $2, $3)", [(1, "one", None), (2, "two", decimal.Decimal("1.5"))])
            equal(await con.fetchval("UPDATE picked SET note = note || $1 WHERE id = 2 RETURNING note", "!"), "two!")
            equal(await con.execute("DELETE FROM picked WHERE id = $1", 1), "DELETE 1")
            equal(await con.copy_records_to_table("picked", records=[(3, "copied")], columns=["id", "note"]), "COPY 1")
            equal([tuple(r) for r in await con.fetch(SELECT_PICKED)], PICKED)
        with fails("42P01", asyncpg.PostgresError):
            await con.fetch("TABLE picked")

    run(f())


def numbered(sql):
    """The statement with $1, $2 and so on in the places of %s."""
    for i in range(sql.count("%s")):
        sql = sql.replace("%s", f"${i + 1}", 1)
    return sql


def views():
    async def f():
        for statement in CREATE_VIEW:
            await con.execute(statement)
        equal(tuple(await con.fetchrow(numbered(SELECT_VIEW), "c1")), ("Ada", 2, 4))
        await con.execute(DROP_VIEW)

    run(f())


def with_writes():
    async def f():
        t = con.transaction()
        await t.start()
        equal(tuple(await con.fetchrow(numbered(WITH_WRITES), *WITH_ARGS)), ("c2", "Bea", 4000))
        await t.rollback()
        equal(await con.fetchval("SELECT name FROM customer WHERE id = 'c2'"), "Bob")

    run(f())


def error():
    async def f():
        t = con.transaction()
        await t.start()
        try:
            with fails("22012", asyncpg.PostgresError):
                await con.fetchval("SELECT 1 / 0")
            with fails("25P02", asyncpg.PostgresError):
                await con.fetchval("SELECT 1")
        finally:
            await t.rollback()
        equal(await con.fetchval("SELECT 1"), 1)

    run(f())


def metadata():
    statement = run(con.prepare("SELECT id, n, ts FROM sample WHERE i = $1"))
    equal([(a.name, a.type.name) for a in statement.get_attributes()], [("id", "text"), ("n", "numeric"), ("ts", "timestamptz")])
    equal([p.name for p in statement.get_parameters()], ["int8"])


def introspection():
    run(con.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"))
    equal(run(con.fetchval("SELECT $1::jsonb", {"a": 1})), {"a": 1})
    run(con.reset_type_codec("jsonb", schema="pg_catalog"))


def cancel():
    try:
        run(con.fetch(ENDLESS, timeout=0.5))
    except asyncio.TimeoutError:
        equal(run(con.fetchval("SELECT 1")), 1)
    else:
        raise AssertionError("not cancelled")


def cursor():
    async def f():
        async with con.transaction():
            equal([r[0] async for r in con.cursor("SELECT sku FROM product ORDER BY sku", prefetch=70)], list(range(1, 1001)))

    run(f())


def moved_cursor():
    async def f():
        async with con.transaction():
            c = await con.cursor("SELECT sku FROM product ORDER BY sku")
            await c.forward(10)
            equal([r[0] for r in await c.fetch(2)], [11, 12])

    run(f())


def pool():
    async def f():
        async with asyncpg.create_pool(ssl=trusted, min_size=1, max_size=2) as p:
            async with p.acquire() as c:
                await c.execute("SET work_mem = '8MB'")
                await c.execute("LISTEN news")
            async with p.acquire() as c:
                equal(await c.fetchval("SHOW work_mem"), "4MB")

    run(f())


def notify():
    async def f():
        heard = loop.create_future()
        await con.add_listener("news", lambda *args: heard.done() or heard.set_result(args[3]))
        await con.execute("SELECT pg_notify('news', 'hello')")
        equal(await asyncio.wait_for(heard, 10), "hello")
        await con.reset()

    run(f())


def copy():
    async def f():
        rows = [("copy " + r[0],) + r[1:9] + (json.dumps(r[9]) if r[9] is not None else None,) + r[10:] for r in SAMPLE]
        equal(await con.copy_records_to_table("sample", records=rows), "COPY 3")
        out = io.BytesIO()
        await con.copy_from_query("SELECT id, i FROM sample WHERE id LIKE $1 ORDER BY id", "copy %", output=out, format="csv")
        equal(out.getvalue().decode(), "copy full,9223372036854775807\ncopy low,-9223372036854775808\ncopy none,\n")

    run(f())


def executemany():
    run(con.executemany("INSERT INTO product VALUES ($1, $2) ON CONFLICT DO NOTHING", [(9000 + i, "x") for i in range(300)]))
    equal(run(con.fetchval("SELECT count(*) FROM product WHERE sku >= 9000")), 300)


def past(sql=BALANCE, **where):
    old = connect(**where)
    *first, last = sql.split(";")
    for statement in first:
        run(old.execute(statement))
    equal(run(old.fetchval(last)), 10.0)
    run(old.close())


for name, f in [
    ("connect", connected), ("tables", tables), ("types, binary", types), ("parameters, binary", parameters), ("insert", insert),
    ("rollback", rollback), ("temporary table", temporary), ("views", views), ("with", with_writes), ("error and recovery", error), ("metadata", metadata), ("introspection", introspection), ("cancel", cancel),
    ("past: as_of.customer(p)", lambda: equal(run(con.fetchval(PAST_FUNCTION % "$1::bigint", POINT)), 10.0)),
    ("past: SET", lambda: past(PAST_SET + ";" + BALANCE)),
    ("past: server_settings", lambda: past(server_settings={"ontosql.as_of": str(POINT)})),
    ("past: options", lambda: past(server_settings={"options": PAST_OPTIONS})),
    ("past: FOR SYSTEM_TIME AS OF", lambda: equal(run(con.fetchval(PAST_SYSTEM_TIME % "$1", str(POINT))), 10.0)),
    ("past: database name", lambda: past(database=PAST_DATABASE)),
    ("past: $1 bound as a number", lambda: equal(run(con.fetchval(PAST_FUNCTION % "$1", POINT)), 10.0)),
    ("cursor", cursor), ("cursor.forward", moved_cursor), ("pool, with reset", pool), ("LISTEN and NOTIFY", notify), ("COPY, binary and csv", copy), ("executemany", executemany),
]:
    case(name)(f)
