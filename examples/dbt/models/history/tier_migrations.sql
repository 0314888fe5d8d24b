select tier_before, tier as tier_after, count(*) as customers, min(committed_at) as first_at, max(committed_at) as last_at
from {{ ref('fct_customer_changes') }}
where change = 'update' and tier_before <> tier
group by 1, 2
