"""Django over psycopg: migrations and the ORM of an app whose tables are in a schema of the workspace, and unmanaged models of types."""

import contextlib
import io
import pathlib
import sys
import tempfile

import django
from django.conf import settings

from cases import *

about("Django", django.__version__)
BASE = {"ENGINE": "django.db.backends.postgresql", "NAME": "onto", "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"], "PASSWORD": os.environ["PGPASSWORD"]}
MADE = tempfile.mkdtemp()  # what makemigrations writes
settings.configure(
    INSTALLED_APPS=["django_app"],
    # A path with one schema of the workspace: the tables of the app are made there, those of types are found behind it.
    DATABASES={"default": BASE | {"OPTIONS": {"options": "-c search_path=shop,public"}}, "past": BASE | {"NAME": PAST_DATABASE}},
    USE_TZ=True, TIME_ZONE="UTC", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", MIGRATION_MODULES={"django_app": "made"},
)
sys.path.insert(0, MADE)
pathlib.Path(MADE, "made").mkdir()
pathlib.Path(MADE, "made", "__init__.py").touch()
django.setup()

from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.migrations import operations as change
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Avg, Count, F, OuterRef, Q, Subquery, Sum, Window
from django.db.models.functions import RowNumber, TruncMonth

from django_app.models import Customer, Note, Sample, Tag


@contextlib.contextmanager
def raises(error, state):
    try:
        yield
    except error as e:
        equal(e.__cause__.sqlstate, state)
    else:
        raise AssertionError(f"no error, want {state}")


def command(*args, **more):
    out = io.StringIO()
    call_command(*args, stdout=out, **more)
    return out.getvalue()


def migration(name, after, *operations):
    """Writes a migration of the app."""
    from django.db.migrations.writer import MigrationWriter
    from django.db.migrations import Migration

    made = type("Migration", (Migration,), {"operations": list(operations), "dependencies": [("django_app", after)]})
    pathlib.Path(MADE, "made", name + ".py").write_text(MigrationWriter(made(name, "django_app")).as_string())


def columns(table):
    with connection.cursor() as c:
        return [(f.name, connection.introspection.get_field_type(f.type_code, f)) for f in connection.introspection.get_table_description(c, table)]


def constraints(table):
    with connection.cursor() as c:
        return connection.introspection.get_constraints(c, table)


@case("connect")
def _():
    with connection.cursor() as c:
        c.execute("SELECT current_user")
        equal(c.fetchone(), (os.environ["PGUSER"],))
        c.execute("CREATE SCHEMA shop")
    equal(connection.pg_version // 10000, 15)


@case("makemigrations and migrate")
def _():
    equal("0001_initial.py" in command("makemigrations", "django_app"), True)
    command("migrate")
    with connection.cursor() as c:
        c.execute("SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1")
        equal([r[0] for r in c.fetchall()], ["django_app_note", "django_app_tag", "django_migrations"])
    equal("No planned migration operations" in command("migrate", plan=True), True)


@case("introspection")
def _():
    equal(columns("django_app_tag"), [("id", "BigAutoField"), ("name", "CharField"), ("weight", "DecimalField")])
    got = constraints("django_app_note")
    equal(sorted((tuple(c["columns"]), c["primary_key"], c["unique"]) for c in got.values() if c["unique"]), [(("id",), True, True), (("slug",), False, True)])
    equal([n for n, c in got.items() if c["check"]], ["django_app_note_stars_check", "stars_in_range"])
    equal("class DjangoAppNote(models.Model):" in command("inspectdb", "django_app_note"), True)


@case("create, get, update and delete")
def _():
    tag = Tag.objects.create(name="first", weight="1.50")
    equal(Tag.objects.get(pk=tag.pk).weight, decimal.Decimal("1.50"))
    tag.name = "renamed"
    tag.save()
    equal(Tag.objects.filter(name="renamed").update(weight=F("weight") + 1), 1)
    tag.refresh_from_db()
    equal(tag.weight, decimal.Decimal("2.50"))
    equal(Tag.objects.get_or_create(name="renamed", defaults={"weight": 0})[1], False)
    equal(Tag.objects.update_or_create(name="renamed", defaults={"weight": 3})[1], False)
    equal(tag.delete()[0], 1)


@case("every field")
def _():
    values = dict(slug="all", body="é€😀 \"\\'\n", stars=3, ratio=-1.25e300, done=True, made=SAMPLE[0][4], day=datetime.date(1900, 2, 28),
                  at=datetime.time(1, 2, 3, 4), took=datetime.timedelta(days=1, seconds=2, microseconds=3), token=uuid.UUID(int=5),
                  data={"k": [1, 2.5, None]}, blob=b"\0\x01\xff", price=decimal.Decimal("12345678.50"))
    Note.objects.create(**values)
    got = Note.objects.get(slug="all")
    equal({k: bytes(v) if isinstance(v, memoryview) else v for k, v in ((k, getattr(got, k)) for k in values)}, values)
    equal(Note.objects.filter(data__k__1=2.5, made__year=2026, body__icontains="É", day__lt=datetime.date(2000, 1, 1)).count(), 1)
    Note.objects.create(slug="none")
    equal(Note.objects.filter(data__isnull=True).get().price, None)


@case("generated fields")
def _():
    note = Note.objects.create(slug="made", stars=2)
    equal((note.shout, note.twice), ("MADE", 4))
    note.stars = 5
    note.save()
    equal(Note.objects.filter(twice__gt=9, shout="MADE").update(slug="named"), 1)
    note.refresh_from_db()
    equal((note.shout, note.twice), ("NAMED", 10))
    equal(note.delete()[0], 1)


@case("bulk_create, with update_conflicts and ignore_conflicts")
def _():
    made = Tag.objects.bulk_create([Tag(name=f"t{i}", weight=i) for i in range(300)], batch_size=70)
    equal(len({t.pk for t in made}), 300)
    again = [Tag(name="t1", weight=100), Tag(name="new", weight=5)]
    Tag.objects.bulk_create(again, update_conflicts=True, unique_fields=["name"], update_fields=["weight"])
    equal(list(Tag.objects.filter(name__in=["t1", "new"]).order_by("name").values_list("name", "weight")), [("new", 5), ("t1", 100)])
    Tag.objects.bulk_create([Tag(name="t2", weight=200)], ignore_conflicts=True)
    equal(Tag.objects.get(name="t2").weight, 2)
    for t in made:
        t.weight += 1
    equal(Tag.objects.bulk_update(made, ["weight"], batch_size=100), 300)
    equal(Tag.objects.filter(name__startswith="t").aggregate(n=Count("*"), s=Sum("weight")), {"n": 300, "s": decimal.Decimal(300 * 301 // 2)})


@case("queries")
def _():
    ranked = Tag.objects.annotate(rank=Window(RowNumber(), order_by=F("weight").desc())).values_list("name", "rank")[:2]
    equal([r[1] for r in ranked], [1, 2])
    equal(Tag.objects.filter(Q(name="t5") | Q(weight__gt=299), ~Q(name="x")).exclude(name="t299").count(), 1)
    best = Tag.objects.filter(name=OuterRef("slug")).values("weight")[:1]
    equal(list(Note.objects.annotate(w=Subquery(best)).values_list("w", flat=True)), [None, None])
    equal([r["n"] for r in Note.objects.annotate(m=TruncMonth("made")).values("m").annotate(n=Count("*")).order_by("m")], [1, 1])
    equal(Tag.objects.filter(name="t1").union(Tag.objects.filter(name="t2")).count(), 2)
    equal(Tag.objects.filter(weight__lt=10).distinct().order_by("-weight").first().name, "t8")
    equal(sum(1 for _ in Tag.objects.iterator(chunk_size=50)), 301)


@case("transactions and savepoints")
def _():
    with contextlib.suppress(ValueError), transaction.atomic():
        Tag.objects.create(name="gone", weight=1)
        with contextlib.suppress(ValueError), transaction.atomic():
            Tag.objects.create(name="inner", weight=1)
            raise ValueError
        equal(Tag.objects.filter(name__in=["gone", "inner"]).count(), 1)
        raise ValueError
    equal(Tag.objects.filter(name__in=["gone", "inner"]).count(), 0)
    with transaction.atomic():
        equal(Tag.objects.select_for_update().get(name="t3").weight, 4)


@case("errors")
def _():
    with raises(IntegrityError, "23505"), transaction.atomic():
        Tag.objects.create(name="t1", weight=1)
    with raises(IntegrityError, "23514"), transaction.atomic():
        Note.objects.create(slug="many", stars=6)
    with raises(DatabaseError, "22001"), transaction.atomic():
        Tag.objects.create(name="x" * 41, weight=1)
    equal(Tag.objects.filter(name="t1").count(), 1)


@case("migration: add, alter, rename and remove a field")
def _():
    migration("0002_fields", "0001_initial", change.AddField("tag", "color", models.CharField(max_length=10, default="red")),
              change.AlterField("tag", "name", models.CharField(max_length=80, unique=True)), change.RenameField("tag", "weight", "mass"),
              change.AddField("tag", "old", models.IntegerField(null=True)), change.AlterField("tag", "old", models.BigIntegerField(default=7)),
              change.RemoveField("note", "ratio"))
    command("migrate")
    equal(columns("django_app_tag"), [("id", "BigAutoField"), ("name", "CharField"), ("mass", "DecimalField"), ("color", "CharField"), ("old", "BigIntegerField")])
    with connection.cursor() as c:
        c.execute("SELECT count(*), min(color), sum(old)::bigint FROM django_app_tag")
        equal(c.fetchone(), (301, "red", 7 * 301))
    equal("ratio" in dict(columns("django_app_note")), False)


@case("migration: generated fields, indexes and constraints")
def _():
    thrice = models.GeneratedField(expression=F("stars") * 3, output_field=models.IntegerField(), db_persist=True)
    migration("0003_keys", "0002_fields", change.AddField("note", "thrice", thrice), change.AddIndex("note", models.Index(fields=["day", "-stars"], name="note_day")),
              change.AddIndex("note", models.Index(F("stars") * 2, name="note_twice")), change.AddIndex("note", models.Index(fields=["stars"], name="note_some", condition=Q(stars__gt=1))),
              change.AddConstraint("tag", models.UniqueConstraint(fields=["name", "color"], name="name_color")),
              change.AddConstraint("tag", models.CheckConstraint(condition=Q(mass__gte=0), name="mass_positive")), change.RenameIndex("note", "note_day_2", old_name="note_day"))
    command("migrate")
    equal({"note_day_2", "note_twice", "note_some"} <= set(constraints("django_app_note")), True)
    equal(dict(columns("django_app_note"))["thrice"], "IntegerField")
    equal({"name_color", "mass_positive"} <= set(constraints("django_app_tag")), True)
    with raises(IntegrityError, "23514"), connection.cursor() as c:
        c.execute("UPDATE django_app_tag SET mass = -1 WHERE name = 't1'")


@case("migration: rename and remove a model, run SQL")
def _():
    migration("0004_models", "0003_keys", change.CreateModel("Extra", [("id", models.BigAutoField(primary_key=True)), ("n", models.IntegerField())]), change.RenameModel("Extra", "Other"),
              change.AlterModelTable("Other", "other_things"), change.RunSQL("INSERT INTO other_things (n) VALUES (1), (2)", "DELETE FROM other_things"))
    command("migrate")
    with connection.cursor() as c:
        c.execute("SELECT id, n FROM other_things ORDER BY id")
        equal(c.fetchall(), [(1, 1), (2, 2)])
    migration("0005_removed", "0004_models", change.DeleteModel("Other"))
    command("migrate")
    equal("other_things" in connection.introspection.table_names(), False)


@case("migration: foreign keys and many to many")
def _():
    migration("0006_links", "0005_removed", change.AddField("note", "tag", models.ForeignKey("django_app.Tag", models.CASCADE, null=True, related_name="notes")),
              change.AddField("note", "tags", models.ManyToManyField("django_app.Tag", related_name="many")))
    command("migrate")
    equal([c["foreign_key"] for n, c in constraints("django_app_note").items() if c["foreign_key"]], [("django_app_tag", "id")])
    with raises(IntegrityError, "23503"), transaction.atomic(), connection.cursor() as c:
        c.execute("UPDATE django_app_note SET tag_id = -1")
        c.execute("SET CONSTRAINTS ALL IMMEDIATE")


@case("migration backwards")
def _():
    command("migrate", "django_app", "0001_initial")
    equal(columns("django_app_tag"), [("id", "BigAutoField"), ("name", "CharField"), ("weight", "DecimalField")])
    equal(len([n for n in constraints("django_app_note") if n.startswith("note_")]), 0)
    equal(MigrationExecutor(connection).loader.applied_migrations.keys() >= {("django_app", "0001_initial")}, True)


@case("migration that fails")
def _():
    for name in ("0002_fields", "0003_keys", "0004_models", "0005_removed", "0006_links"):
        pathlib.Path(MADE, "made", name + ".py").unlink()
    migration("0002_bad", "0001_initial", change.AddField("tag", "kept", models.IntegerField(default=1)), change.RunSQL("SELECT 1 / 0"))
    with raises(DatabaseError, "22012"):
        command("migrate")
    equal("kept" in dict(columns("django_app_tag")), False)


@case("unmanaged models of types")
def _():
    ada = Customer.objects.get(id="c1")
    equal((ada.name, ada.balance), ("Ada", 20.0))
    equal([tuple(bytes(v) if isinstance(v, memoryview) else v for v in r) for r in Sample.objects.order_by("id").values_list()], SAMPLE)
    Customer.objects.create(id="dj", name="D", balance=1.5)
    equal(Customer.objects.filter(id="dj").update(balance=F("balance") * 2), 1)
    Customer.objects.bulk_create([Customer(id="dj", name="E", balance=9), Customer(id="dk", name="K", balance=1)], update_conflicts=True, unique_fields=["id"], update_fields=["name"])
    equal(list(Customer.objects.filter(id__startswith="d").order_by("id").values_list("name", "balance")), [("E", 3.0), ("K", 1.0)])
    with contextlib.suppress(ValueError), transaction.atomic():
        Customer.objects.create(id="gone", name="G")
        raise ValueError
    equal(Customer.objects.filter(id="gone").exists(), False)


case("past: database name")(lambda: equal(Customer.objects.using("past").get(id="c1").balance, 10.0))
case("flush")(lambda: (command("flush", interactive=False), equal(Tag.objects.count(), 0)))
case("migrate to zero")(lambda: (command("migrate", "django_app", "zero"), equal(connection.introspection.table_names()[:1], ["customer"])))
