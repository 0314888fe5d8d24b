-- A purchase never changes: its first version is the purchase.
select order_no, left_key as customer_id, right_key as sku, store as store_code, qty, commit_id, valid_from as purchased_at
from {{ source('shop_history', 'purchase') }}
where is_current
