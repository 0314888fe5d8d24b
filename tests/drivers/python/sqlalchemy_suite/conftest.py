"""SQLAlchemy's plugin of pytest, without the extensions that it would create on every server."""

import pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.dialects.postgresql import provision
from sqlalchemy.testing.plugin.pytestplugin import *

provision._extensions.clear()  # citext and hstore, which the suite does not use
