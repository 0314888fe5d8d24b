"""What the programs of the Python clients share: how a case is told, and what stands in fill.sql."""

import contextlib
import datetime
import decimal
import json
import os
import threading
import uuid

POINT = int(os.environ["POINT"])
UTC = datetime.timezone.utc

# The rows of table sample, in the order full, low, none.
SAMPLE = [
    ("full", 2**63 - 1, 1.5, True, datetime.datetime(2026, 2, 10, 12, 0, 0, 123456, UTC), datetime.date(2026, 2, 10),
     decimal.Decimal("12345678901234567890.123456789"), uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
     b"\xde\xad\xbe\xef\0", {"k": [1, 2.5, None]}, "é€😀 \"\\'\n"),
    ("low", -(2**63), float("-inf"), False, datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), datetime.date(1900, 2, 28),
     decimal.Decimal("-0.5"), uuid.UUID(int=0), b"", [], ""),
    ("none",) + (None,) * 10,
]
SELECT_SAMPLE = "SELECT * FROM sample ORDER BY id"

# A value of every type that a client sends, by PostgreSQL's name of the type.
VALUES = {
    "smallint": -7, "integer": 70000, "bigint": 2**40, "real": 0.5, "float8": -1.25e300, "boolean": True,
    "text": "é€😀 \"\\'\n", "varchar": "v", "bytea": b"\0\x01\xff",
    "timestamptz": datetime.datetime(2026, 2, 10, 12, 0, 0, 5, UTC), "timestamp": datetime.datetime(2026, 2, 10, 12, 0, 0, 5),
    "date": datetime.date(2026, 2, 10), "time": datetime.time(1, 2, 3, 4), "interval": datetime.timedelta(days=1, seconds=2, microseconds=3),
    "numeric": decimal.Decimal("-12345678901234567890.50"), "uuid": uuid.UUID(int=5),
    "bigint[]": [1, None, 3], "text[]": ["a", None, 'b "\\,{}'], "float8[]": [1.5], "boolean[]": [True, False],
    "timestamptz[]": [datetime.datetime(2026, 1, 1, tzinfo=UTC)], "uuid[]": [uuid.UUID(int=6)], "numeric[]": [decimal.Decimal("1.50")],
}

# A statement that runs until it is cancelled.
ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3"

# A temporary table, which ends with its transaction, and the rows that the cases leave in it.
CREATE_PICKED = "CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP"
PICKED = [(2, "two!", decimal.Decimal("1.50")), (3, "copied", None)]
SELECT_PICKED = "SELECT * FROM picked ORDER BY id"

# A view in a schema of the workspace, with the row of customer c1, and a WITH that writes two types.
CREATE_VIEW = ["CREATE SCHEMA shown", "CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id",
               "CREATE OR REPLACE VIEW shown.orders AS SELECT c.id, c.name, b.qty, b.qty * 2 AS twice FROM customer c JOIN purchase b ON b.left_key = c.id"]
SELECT_VIEW = "SELECT name, qty, twice FROM shown.orders WHERE id = %s"
DROP_VIEW = "DROP SCHEMA shown CASCADE"
WITH_WRITES = """WITH changed AS (UPDATE customer SET name = %s WHERE id = %s RETURNING id, name), made AS (INSERT INTO product VALUES (%s, %s) RETURNING sku)
SELECT changed.id, changed.name, made.sku FROM changed, made"""
WITH_ARGS = ["Bea", "c2", 4000, "made"]

BALANCE = "SELECT balance FROM customer WHERE id = 'c1'"

# The past in SQL, with the point in the text, and the settings that move a session.
PAST_FUNCTION = "SELECT balance FROM as_of.customer(%s) WHERE id = 'c1'"
PAST_SYSTEM_TIME = "SELECT balance FROM customer FOR SYSTEM_TIME AS OF %s WHERE id = 'c1'"
PAST_SET = f"SET ontosql.as_of = '{POINT}'"
PAST_OPTIONS = f"-c ontosql.as_of={POINT}"
PAST_DATABASE = f"onto@{POINT}"


def about(client, version):
    tell(client=client, version=version)


def case(name, after=lambda: None):
    """Runs the function below it and tells whether it returned. Then after makes the connection fit for the next."""

    def run(f):
        try:
            f()
            tell(case=name, ok=True)
        except Exception as e:
            state = getattr(e, "sqlstate", None) or getattr(e, "pgcode", None) or ""
            tell(case=name, ok=False, detail=f"{type(e).__name__} {state} {e}".replace("\n", " "))
        with contextlib.suppress(Exception):
            after()

    return run


def tell(**line):
    print(json.dumps(line), flush=True)


def equal(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


@contextlib.contextmanager
def fails(sqlstate, error):
    """The block must raise the error with this SQLSTATE."""
    try:
        yield
    except error as e:
        equal(getattr(e, "sqlstate", None) or getattr(e, "pgcode", None), sqlstate)
    else:
        raise AssertionError(f"no error, want {sqlstate}")


@contextlib.contextmanager
def cancelling(cancel):
    """Calls cancel again and again while the block runs: the first may come before its statement."""
    done = threading.Event()

    def again():
        while not done.wait(0.1):
            cancel()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
