"""pgcli: what it asks when it starts, its completions, and its special commands."""

import importlib.metadata
import warnings

warnings.simplefilter("ignore")

from pgcli.completion_refresher import CompletionRefresher
from pgcli.pgcompleter import PGCompleter
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial
from prompt_toolkit.document import Document

from cases import *

about("pgcli", importlib.metadata.version("pgcli"))
special = PGSpecial()
executor = PGExecute("onto", os.environ["PGUSER"], os.environ["PGPASSWORD"], os.environ["PGHOST"], os.environ["PGPORT"], None)


def run(sql):
    """The rows of the last statement, and what it says."""
    for title, rows, headers, status, *rest in executor.run(sql, special):
        if not rest[1]:
            raise AssertionError(status)
    return [tuple(r) for r in rows] if rows is not None else status


def describes(command):
    return lambda: run(command)


@case("connect")
def _():
    equal((executor.user, executor.dbname, executor.is_virtual_database(), run("SELECT current_user::text")), (os.environ["PGUSER"], "onto", False, [(os.environ["PGUSER"],)]))


@case("completion metadata")
def _():
    run("CREATE SCHEMA lab")
    run("CREATE TABLE lab.note (id int PRIMARY KEY, customer text)")
    run("CREATE VIEW lab.few AS SELECT id FROM lab.note")
    equal({("public", "customer"), ("lab", "note")} <= set(executor.tables()), True)
    equal(("lab", "few") in set(executor.views()), True)
    equal([c[2] for c in executor.table_columns() if c[:2] == ("public", "customer")], ["id", "name", "balance"])
    equal([c[2] for c in executor.view_columns() if c[:2] == ("lab", "few")], ["id"])
    equal({f[:6] for f in map(tuple, executor.foreignkeys())} >= {("public", "customer", "id", "public", "purchase", "left_key")}, True)
    equal("lab" in executor.schemata() and "onto" in executor.databases() and executor.search_path()[-1] == "public", True)
    list(executor.functions()), list(executor.datatypes()), list(executor.casing())


@case("completions")
def _():
    completer = PGCompleter(smart_completion=True, pgspecial=special)
    made = []
    CompletionRefresher().refresh(executor, special, lambda c: made.append(c), settings={"generate_casing_file": False, "casing_file": os.devnull, "generate_aliases": False})
    for _ in range(200):
        if made:
            break
        threading.Event().wait(0.05)
    completer = made[0]
    text = "SELECT bal FROM customer"
    equal("balance" in [c.text for c in completer.get_completions(Document(text, len("SELECT bal")), None)], True)
    equal("lab" in [c.text for c in completer.get_completions(Document("SELECT * FROM la", 16), None)], True)


@case("rollback")
def _():
    run("BEGIN")
    run("INSERT INTO customer VALUES ('gone', 'G')")
    equal(executor.valid_transaction(), True)
    run("ROLLBACK")
    equal(run("SELECT count(*) FROM customer WHERE id = 'gone'"), [(0,)])


@case("\\d customer")
def _():
    equal([tuple(r)[:2] for r in run("\\d customer")], [("id", "text"), ("name", "text"), ("balance", "double precision")])


for command in "\\d lab.note", "\\d+ lab.few", "\\d+ customer", "\\dt", "\\dv", "\\di", "\\ds", "\\dn", "\\du", "\\df", "\\dT", "\\l", "\\dx", "\\dp", "\\ddp", "\\db", "\\sf pg_catalog.format_type", "\\dD", "\\dE", "\\dm":
    case(command)(describes(command))
