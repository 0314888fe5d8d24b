{{ config(materialized='incremental', unique_key=['customer_id', 'commit_id'], incremental_strategy='delete+insert') }}

select
  id as customer_id, commit_id, committed_at, change,
  array_to_string(changed_fields, ',') as changed_fields,
  before ->> 'tier' as tier_before, tier,
  (before ->> 'balance')::float8 as balance_before, balance
from {{ source('shop_changes', 'customer') }}
where {{ new_commits() }}
