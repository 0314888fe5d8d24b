select 1 from {{ ref('customers') }} having sum(total) <> (select sum(amount) from {{ ref('loaded') }})
