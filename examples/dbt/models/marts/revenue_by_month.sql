select date_trunc('month', purchased_at) as month, count(*) as purchases, sum(revenue) as revenue,
  sum(sum(revenue)) over (order by date_trunc('month', purchased_at)) as revenue_so_far
from {{ ref('fct_purchases') }}
group by 1
