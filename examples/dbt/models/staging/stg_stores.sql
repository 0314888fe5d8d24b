select code as store_code, city, open as is_open
from {{ source('shop', 'store') }}
