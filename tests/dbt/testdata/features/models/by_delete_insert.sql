{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='id') }}
select id, name, {{ var('round', 1) }} as round from {{ ref('people') }}{% if is_incremental() %} where id > 1{% endif %}
