"""SQLAlchemy's suite of what a dialect and its database must do."""

from sqlalchemy.testing.suite import *
