{{ config(materialized='view', grants={'select': ['pg_read_all_data']}) }}
select id, upper(name) as name from {{ ref('as_table') }}
