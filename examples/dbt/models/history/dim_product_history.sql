select
  sku || '-' || commit_id as product_version_id,
  sku, title, price, commit_id, valid_from, valid_to, is_current
from {{ source('shop_history', 'product') }}
