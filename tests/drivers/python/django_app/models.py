"""The models of django_cases.py."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper


class Tag(models.Model):
    name = models.CharField(max_length=40, unique=True)
    weight = models.DecimalField(max_digits=10, decimal_places=2)


class Note(models.Model):
    slug = models.SlugField(unique=True)
    body = models.TextField(default="")
    stars = models.PositiveSmallIntegerField(default=0)
    ratio = models.FloatField(null=True)
    done = models.BooleanField(default=False)
    made = models.DateTimeField(null=True, db_index=True)
    day = models.DateField(null=True)
    at = models.TimeField(null=True)
    took = models.DurationField(null=True)
    token = models.UUIDField(null=True)
    data = models.JSONField(null=True)
    blob = models.BinaryField(null=True)
    price = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    shout = models.GeneratedField(expression=Upper("slug"), output_field=models.TextField(), db_persist=True)
    twice = models.GeneratedField(expression=F("stars") * 2, output_field=models.IntegerField(), db_persist=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(stars__lte=5), name="stars_in_range")]


class Customer(models.Model):
    id = models.TextField(primary_key=True)
    name = models.TextField()
    balance = models.FloatField(null=True)

    class Meta:
        managed = False
        db_table = "customer"


class Sample(models.Model):
    id = models.TextField(primary_key=True)
    i = models.BigIntegerField(null=True)
    f = models.FloatField(null=True)
    b = models.BooleanField(null=True)
    ts = models.DateTimeField(null=True)
    d = models.DateField(null=True)
    n = models.DecimalField(max_digits=40, decimal_places=9, null=True)
    u = models.UUIDField(null=True)
    bt = models.BinaryField(null=True)
    j = models.JSONField(null=True)
    s = models.TextField(null=True)

    class Meta:
        managed = False
        db_table = "sample"
