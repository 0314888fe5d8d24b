-- The orders of the days that are loaded.
select * from {{ ref('orders') }} where placed_at < date '2026-01-01' + {{ var('day') }}
