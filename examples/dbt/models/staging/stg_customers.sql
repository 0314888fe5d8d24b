select id as customer_id, name as customer_name, email, tier, balance
from {{ source('shop', 'customer') }}
