select left_key as customer_id, right_key as sku, seats, note
from {{ source('shop', 'subscription') }}
