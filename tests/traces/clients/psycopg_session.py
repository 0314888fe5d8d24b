"""A session of psycopg 3: the extended protocol, pipelines, cursors, COPY."""

import datetime

import psycopg

con = psycopg.connect()
con.execute("CREATE TABLE account (id text PRIMARY KEY, balance double precision, opened date, tags text)")
cur = con.cursor()
cur.executemany("INSERT INTO account VALUES (%s, %s, %s, %s)",
                [("a", 1.5, datetime.date(2026, 2, 10), "x"), ("b", None, None, "é")])
con.commit()
print(con.execute("SELECT * FROM account WHERE id = %s", ["a"]).fetchall())
print(con.cursor(binary=True).execute("SELECT id, balance, opened FROM account ORDER BY id").fetchall())
for _ in range(6):
    con.execute("SELECT balance FROM account WHERE id = %s", ["a"]).fetchall()
with con.pipeline():
    con.execute("SELECT 1")
    con.execute("SELECT %s::text", ["two"])
try:
    con.execute("SELECT 1 / (count(*) - count(*)) FROM account WHERE id <> %s", ["z"])
except psycopg.errors.DivisionByZero:
    con.rollback()
with con.transaction():
    with con.cursor(name="c") as server:
        server.execute("SELECT id FROM account ORDER BY id")
        print(server.fetchone(), server.fetchall())
with cur.copy("COPY account (id, balance) FROM STDIN") as copy:
    copy.write_row(("c", 2.5))
with cur.copy("COPY (SELECT id, balance FROM account ORDER BY id) TO STDOUT (FORMAT binary)") as copy:
    print(list(copy.rows()))
con.rollback()
con.close()
