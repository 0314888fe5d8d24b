-- By the tier that the customer had at the purchase.
select h.tier, count(*) as purchases, sum(p.revenue) as revenue
from {{ ref('fct_purchases') }} p
join {{ ref('dim_customer_history') }} h
  on h.customer_id = p.customer_id and p.purchased_at >= h.valid_from and (h.valid_to is null or p.purchased_at < h.valid_to)
group by 1
