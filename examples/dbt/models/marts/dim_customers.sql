select c.customer_id, c.customer_name, c.email, c.tier, t.tier_rank, c.balance, c.balance >= t.target_balance as meets_target,
  h.first_seen_at, h.versions
from {{ ref('stg_customers') }} c
left join {{ ref('tier_targets') }} t using (tier)
left join (
  select customer_id, min(valid_from) as first_seen_at, count(*) as versions
  from {{ ref('dim_customer_history') }}
  group by 1
) h using (customer_id)
