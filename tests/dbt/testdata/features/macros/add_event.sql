{% macro add_event(event) %}
  {% do run_query("insert into " ~ target.schema ~ ".audit values ('" ~ event ~ "')") %}
  {% do run_query("commit") %}
{% endmacro %}
