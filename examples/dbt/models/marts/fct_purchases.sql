-- The price is the one that was valid when the purchase was made.
select p.order_no, p.customer_id, p.sku, p.store_code, p.purchased_at, p.qty, v.price, p.qty * v.price as revenue
from {{ ref('stg_purchases') }} p
join {{ ref('dim_product_history') }} v
  on v.sku = p.sku and p.purchased_at >= v.valid_from and (v.valid_to is null or p.purchased_at < v.valid_to)
