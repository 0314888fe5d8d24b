{#- The rows of a type at a point: a commit, HEAD~n or a time. -#}
{% macro as_of(type, point) -%}
as_of.{{ adapter.quote(type) }}('{{ point }}')
{%- endmacro %}
