select id as customer_id, name as customer_name, tier, balance
from {{ as_of('customer', var('from_point')) }}
