"""A session of asyncpg: binary everywhere, Flush instead of Sync in between."""

import asyncio
import datetime

import asyncpg


async def main():
    con = await asyncpg.connect(ssl=False)
    await con.execute("CREATE TABLE account (id text PRIMARY KEY, balance double precision, opened date)")
    await con.executemany("INSERT INTO account VALUES ($1, $2, $3)", [("a", 1.5, datetime.date(2026, 2, 10)), ("b", None, None)])
    print(await con.fetch("SELECT * FROM account ORDER BY id"))
    print(await con.fetchval("SELECT balance FROM account WHERE id = $1", "a"))
    try:
        await con.fetch("SELECT 1 / (count(*) - count(*)) FROM account WHERE id <> $1", "z")
    except asyncpg.DivisionByZeroError:
        pass
    async with con.transaction():
        async for row in con.cursor("SELECT id FROM account ORDER BY id", prefetch=1):
            print(row)
    await con.close()


asyncio.run(main())
