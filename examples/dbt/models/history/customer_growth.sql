-- One model at two points.
select
  a.customer_id, a.customer_name,
  b.tier as tier_before, a.tier as tier_after,
  b.balance as balance_before, a.balance as balance_after,
  a.balance - coalesce(b.balance, 0) as growth,
  b.customer_id is null as is_new
from {{ ref('customers_after') }} a
left join {{ ref('customers_before') }} b using (customer_id)
