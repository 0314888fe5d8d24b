select sum(twice) as total from {{ ref('as_ephemeral') }}
