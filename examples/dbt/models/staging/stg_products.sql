select sku, title, price
from {{ source('shop', 'product') }}
