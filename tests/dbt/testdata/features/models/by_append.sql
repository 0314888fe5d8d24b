{{ config(materialized='incremental', incremental_strategy='append') }}
select id, name, {{ var('round', 1) }} as round from {{ ref('people') }}{% if is_incremental() %} where id > 1{% endif %}
