select n from {{ ref('fails_at_first') }}
