select s.sku, p.title, count(*) as subscriptions, sum(s.seats) as seats
from {{ ref('stg_subscriptions') }} s
join {{ ref('stg_products') }} p using (sku)
group by 1, 2
