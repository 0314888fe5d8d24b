"""A session of psycopg2: the simple protocol."""

import io

import psycopg2

con = psycopg2.connect("")
cur = con.cursor()
cur.execute("CREATE TABLE account (id text PRIMARY KEY, balance double precision)")
cur.execute("INSERT INTO account VALUES (%s, %s), (%s, %s)", ("a", 1.5, "b", None))
con.commit()
cur.execute("SELECT * FROM account ORDER BY id")
print(cur.fetchall())
cur.copy_from(io.StringIO("c\t2.5\n"), "account")
out = io.StringIO()
cur.copy_to(out, "account")
con.rollback()
try:
    cur.execute("SELECT * FROM nowhere")
except psycopg2.errors.UndefinedTable:
    con.rollback()
with con.cursor(name="c") as server:
    server.execute("SELECT id FROM account ORDER BY id")
    print(server.fetchall())
con.set_client_encoding("LATIN1")
cur.execute("SELECT 'é'")
con.commit()
con.set_session(isolation_level="SERIALIZABLE", readonly=True)
cur.execute("SELECT count(*) FROM account")
con.rollback()
con.close()
