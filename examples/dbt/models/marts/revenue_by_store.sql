select s.store_code, s.city, r.region, s.is_open, coalesce(sum(p.revenue), 0) as revenue
from {{ ref('stg_stores') }} s
left join {{ ref('store_regions') }} r using (city)
left join {{ ref('fct_purchases') }} p using (store_code)
group by 1, 2, 3, 4
