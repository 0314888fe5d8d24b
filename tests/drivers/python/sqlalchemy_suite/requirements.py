"""What the suite may ask of ontosql: all that SQLAlchemy says of PostgreSQL 15 as it is
installed, but what CLOSED lists."""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

OPEN = """
aggregate_order_by array_type autocommit boolean_col_expressions check_constraint_reflection
column_collation_reflection comment_reflection comment_reflection_full_unicode
computed_columns computed_columns_default_persisted computed_columns_reflect_persisted
computed_columns_stored
constraint_comment_reflection create_or_replace_view create_table_as create_temp_table_as
cross_schema_fk_reflection ctes ctes_on_dml ctes_with_update_delete ctes_with_values
date_historic datetime_historic datetime_interval datetime_timezone
datetime_timezone_historic default_schema_name_switch deferrable_fks delete_from except_
expression_server_defaults fetch_expression fetch_first fetch_no_order_by
fetch_offset_with_options fetch_ties fk_constraint_option_reflection_ondelete_restrict
fk_constraint_option_reflection_onupdate_restrict foreign_key_constraint_name_reflection
foreign_key_constraint_option_reflection_ondelete
foreign_key_constraint_option_reflection_onupdate has_temp_table identity_columns
identity_columns_standard implicit_default_schema index_ddl_if_exists
index_reflects_included_columns indexes_check_column_order indexes_with_expressions
infinity_floats inline_check_constraint_reflection intersect isolation_level json_type
materialized_views mod_operator_as_percent_sign nullsordering order_by_label_with_expression
percent_schema_names precision_numerics_enotation_small
precision_numerics_many_significant_digits precision_numerics_retains_significant_digits
reflect_indexes_with_expressions reflect_table_options reflects_pk_names regexp_match
regexp_replace savepoints schema_create_delete schemas server_defaults
skip_autocommit_rollback supports_bitwise_and supports_bitwise_not supports_bitwise_or
supports_bitwise_shift supports_bitwise_xor supports_distinct_on table_ddl_if_exists
table_value_constructor temp_table_comment_reflection temp_table_names temporary_views
time_timezone timestamp_microseconds tuple_in tuple_in_w_empty unicode_ddl
unique_constraints_reflect_as_index update_from uuid_data_type views window_functions
window_range window_range_non_numeric window_range_numeric
""".split()

# What SQLAlchemy says of PostgreSQL and ontosql has not, each with the reason.
CLOSED = {
    "reflect_tables_no_columns": "a table without columns is 0A000",
    "two_phase_transactions": "prepared transactions are disabled, as by PostgreSQL's own default",
}


class Requirements(SuiteRequirements):
    def get_isolation_levels(self, config):
        levels = ["AUTOCOMMIT", "READ COMMITTED", "READ UNCOMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
        return {"default": "READ COMMITTED", "supported": levels}


for names, exclusion in (OPEN, exclusions.open), (CLOSED, exclusions.closed):
    for name in names:
        if not hasattr(SuiteRequirements, name):
            raise AttributeError(f"SQLAlchemy has no requirement {name}")
        setattr(Requirements, name, property(lambda self, made=exclusion: made()))
