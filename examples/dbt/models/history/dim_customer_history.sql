-- A slowly changing dimension of type 2 without a snapshot: the versions are there already.
select
  id || '-' || commit_id as customer_version_id,
  id as customer_id, name as customer_name, tier, balance,
  commit_id, valid_from, valid_to, is_current
from {{ source('shop_history', 'customer') }}
