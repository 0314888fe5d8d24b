{{ config(materialized='incremental', incremental_strategy='append') }}
select id, customer, amount{% if var('wide') %}, placed_at::date as day{% endif %} from {{ ref('loaded') }}
{% if is_incremental() %}where id > (select max(id) from {{ this }}){% endif %}
