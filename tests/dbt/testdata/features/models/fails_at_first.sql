select 1 / {{ var('divisor', 1) }} as n
