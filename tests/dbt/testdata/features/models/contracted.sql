
select id, name, amount from {{ ref('people') }}
