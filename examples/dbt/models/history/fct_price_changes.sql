{{ config(materialized='incremental', incremental_strategy='append', indexes=[{'columns': ['sku']}]) }}

select sku, commit_id, committed_at, (before ->> 'price')::float8 as price_before, price
from {{ source('shop_changes', 'product') }}
where change = 'update' and 'price' = any(changed_fields) and {{ new_commits() }}
