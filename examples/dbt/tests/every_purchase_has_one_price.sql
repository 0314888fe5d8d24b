select order_no, customer_id, sku, count(*)
from {{ ref('fct_purchases') }}
group by 1, 2, 3
having count(*) <> 1
union all
select order_no, customer_id, sku, 0
from {{ ref('stg_purchases') }} p
where not exists (select from {{ ref('fct_purchases') }} f where f.order_no = p.order_no and f.customer_id = p.customer_id and f.sku = p.sku)
