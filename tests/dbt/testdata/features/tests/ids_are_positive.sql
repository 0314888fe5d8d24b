select * from {{ ref('as_table') }} where id < 1
