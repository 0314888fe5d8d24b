{#- The condition of an incremental model on the commits that it has not seen. The commit id is
    read first and written as a number, so that only the files of the new commits are read. -#}
{% macro new_commits(column="commit_id") -%}
{%- if is_incremental() -%}
  {%- set seen = run_query("select coalesce(max(commit_id), 0) from " ~ this).columns[0].values()[0] -%}
  {{ column }} > {{ seen }}
{%- else -%}
  true
{%- endif -%}
{%- endmacro %}
