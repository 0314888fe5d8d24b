"""SQLAlchemy 2 over psycopg2 and psycopg: reflection, Core and ORM."""

import sqlalchemy as sa
from sqlalchemy import orm

from cases import *

about("SQLAlchemy", sa.__version__)


class Base(orm.DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: orm.Mapped[str] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str]
    balance: orm.Mapped[float | None]
    purchases: orm.Mapped[list["Purchase"]] = orm.relationship(back_populates="customer", viewonly=True)


class Purchase(Base):
    __tablename__ = "purchase"
    left_key: orm.Mapped[str] = orm.mapped_column(sa.ForeignKey("customer.id"), primary_key=True)
    right_key: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    order_no: orm.Mapped[str] = orm.mapped_column(primary_key=True)
    qty: orm.Mapped[int]
    customer: orm.Mapped[Customer] = orm.relationship(back_populates="purchases")


def cases(driver):
    engine = sa.create_engine(f"postgresql+{driver}://")
    look = sa.inspect(engine)
    reflected = sa.MetaData()

    def check(name):
        return case(f"{name}, {driver}")

    @check("connect")
    def _():
        with engine.connect() as c:
            equal(c.scalar(sa.text("SELECT current_user")), "ada")

    @check("tables")
    def _():
        equal(sorted(look.get_table_names()), ["customer", "product", "purchase", "sample"])
        equal(look.get_view_names(schema="history"), ["customer", "product", "purchase", "sample"])
        equal((look.get_sequence_names(), look.get_enums(), look.get_materialized_view_names()), ([], [], []))

    @check("reflection")
    def _():
        reflected.reflect(engine)
        purchase = reflected.tables["purchase"]
        equal([c.name for c in purchase.primary_key], ["left_key", "right_key", "order_no"])
        equal(sorted(str(k.target_fullname) for k in purchase.foreign_keys), ["customer.id", "product.sku"])
        equal([str(c.type) for c in reflected.tables["sample"].columns],
              ["TEXT", "BIGINT", "DOUBLE PRECISION", "BOOLEAN", "TIMESTAMP", "DATE", "NUMERIC", "UUID", "BYTEA", "JSONB", "TEXT"])
        equal((look.get_indexes("purchase"), look.get_unique_constraints("purchase"), look.get_check_constraints("purchase")), ([], [], []))

    @check("reflection of history")
    def _():
        past = sa.MetaData()
        past.reflect(engine, schema="history", views=True)
        if "valid_from" not in past.tables["history.customer"].columns:
            raise AssertionError(list(past.tables["history.customer"].columns))
        if "valid_from" not in look.get_view_definition("customer", schema="history"):
            raise AssertionError(look.get_view_definition("customer", schema="history"))

    @check("types")
    def _():
        with engine.connect() as c:
            rows = [tuple(bytes(v) if isinstance(v, memoryview) else v for v in r)
                    for r in c.execute(sa.select(reflected.tables["sample"]).where(sa.text("id IN ('full', 'low', 'none')")).order_by(sa.text("id")))]
            equal(rows, SAMPLE)

    @check("parameters and insert")
    def _():
        sample = reflected.tables["sample"]
        row = dict(zip(sample.columns.keys(), ("sa " + driver,) + SAMPLE[0][1:]))
        with engine.begin() as c:
            c.execute(sa.insert(sample), row)
        with engine.connect() as c:
            equal(c.scalar(sa.select(sample.c.n).where(sample.c.id == row["id"], sample.c.ts == row["ts"])), row["n"])

    @check("temporary table")
    def _():
        picked = sa.Table("picked", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True, autoincrement=False), sa.Column("note", sa.Text, server_default="none"),
                          sa.Column("weight", sa.Numeric(6, 2)), prefixes=["TEMPORARY"], postgresql_on_commit="DROP")
        with engine.connect() as c:
            picked.create(c)
            c.execute(sa.insert(picked), [dict(id=1, note="one"), dict(id=2, note="two"), dict(id=3, note="three")])
            c.execute(sa.insert(picked), dict(id=4, weight=decimal.Decimal("1.5")))
            equal(c.execute(sa.update(picked).where(picked.c.id == 2).values(note=picked.c.note + "!").returning(picked.c.note)).all(), [("two!",)])
            equal(c.execute(sa.delete(picked).where(picked.c.id.in_([1, 3]))).rowcount, 2)
            equal(c.execute(sa.select(picked).order_by(picked.c.id)).all(), [(2, "two!", None), (4, "none", decimal.Decimal("1.50"))])
            equal(sa.inspect(c).get_temp_table_names(), ["picked"])
            c.commit()
            equal(sa.inspect(c).get_temp_table_names(), [])

    @check("views")
    def _():
        with engine.begin() as c:
            for statement in CREATE_VIEW:
                c.execute(sa.text(statement))
        orders = sa.Table("orders", sa.MetaData(), schema="shown", autoload_with=engine)
        with engine.connect() as c:
            equal(c.execute(sa.select(orders.c["name", "qty", "twice"]).where(orders.c.id == "c1")).all(), [("Ada", 2, 4)])
        equal(sa.inspect(engine).get_view_names(schema="shown"), ["orders"])
        if "JOIN" not in sa.inspect(engine).get_view_definition("orders", schema="shown"):
            raise AssertionError(sa.inspect(engine).get_view_definition("orders", schema="shown"))
        with engine.begin() as c:
            c.execute(sa.text(DROP_VIEW))

    @check("with")
    def _():
        customer, product = reflected.tables["customer"], reflected.tables["product"]
        changed = sa.update(customer).where(customer.c.id == "c2").values(name="Bea").returning(customer.c.id, customer.c.name).cte("changed")
        made = sa.insert(product).values(sku=4000, title="made").returning(product.c.sku).cte("made")
        with engine.connect() as c:
            equal(c.execute(sa.select(changed.c.id, changed.c.name, made.c.sku)).all(), [("c2", "Bea", 4000)])
            c.rollback()
            equal(c.scalar(sa.select(customer.c.name).where(customer.c.id == "c2")), "Bob")

    @check("rollback and savepoint")
    def _():
        product = reflected.tables["product"]
        with engine.connect() as c:
            made = c.execute(sa.insert(product).returning(product.c.sku), [dict(sku=5000 + i, title="x") for i in range(10)])
            equal(len(made.all()), 10)
            with c.begin_nested() as inner:
                c.execute(sa.insert(product), dict(sku=6000, title="x"))
                inner.rollback()
            count = sa.select(sa.func.count()).select_from(product).where(product.c.sku >= 5000)
            equal(c.scalar(count), 10)
            c.rollback()
            equal(c.scalar(count), 0)

    @check("error and recovery")
    def _():
        with engine.connect() as c:
            try:
                c.execute(sa.text("SELECT 1 / 0"))
            except sa.exc.DBAPIError as e:
                equal(getattr(e.orig, "sqlstate", None) or e.orig.pgcode, "22012")
            c.rollback()
            equal(c.scalar(sa.text("SELECT 1")), 1)

    @check("ORM")
    def _():
        with orm.Session(engine) as s:
            ada = s.scalars(sa.select(Customer).options(orm.selectinload(Customer.purchases)).where(Customer.id == "c1")).one()
            equal([(p.right_key, p.qty) for p in ada.purchases], [(1, 2)])
            s.add(Customer(id="orm", name="O", balance=1.5))
            ada.balance = 30.0
            s.flush()
            equal(s.scalar(sa.select(sa.func.sum(Customer.balance))), 31.5)
            s.rollback()

    @check("stream_results")
    def _():
        with engine.connect().execution_options(stream_results=True, yield_per=70) as c:
            equal(len(c.execute(sa.text("SELECT sku FROM product")).all()), 1000)

    @check("isolation levels")
    def _():
        for level in "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "AUTOCOMMIT":
            with engine.connect().execution_options(isolation_level=level) as c:
                equal(c.scalar(sa.text("SELECT 1")), 1)

    @check("create_all and drop_all")
    def _():
        made = sa.MetaData()
        sa.Table("made_" + driver, made, sa.Column("id", sa.Text, primary_key=True), sa.Column("n", sa.BigInteger),
                 sa.Column("at", sa.DateTime(timezone=True)))
        made.create_all(engine)
        made.drop_all(engine)

    @check("create_all with a generated key")
    def _():
        made = sa.MetaData()
        sa.Table("serial_" + driver, made, sa.Column("id", sa.Integer, primary_key=True))
        made.create_all(engine)

    def past(sql=BALANCE, database="onto", setting=None, args=None, **options):
        old = sa.create_engine(f"postgresql+{driver}://", connect_args={"dbname": database, **options})
        with old.connect() as c:
            if setting:
                c.execute(sa.text(setting))
            equal(c.scalar(sa.text(sql), args or {}), 10.0)
        old.dispose()

    check("past: as_of.customer(p)")(lambda: past(PAST_FUNCTION % ":p", args={"p": POINT}))
    check("past: SET")(lambda: past(setting=PAST_SET))
    check("past: options")(lambda: past(options=PAST_OPTIONS))
    check("past: FOR SYSTEM_TIME AS OF")(lambda: past(PAST_SYSTEM_TIME % ":p", args={"p": POINT}))
    check("past: database name")(lambda: past(database=PAST_DATABASE))


for driver in "psycopg2", "psycopg":
    cases(driver)
