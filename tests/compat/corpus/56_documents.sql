# Documents that are none (TestJSONFaults has more)
SELECT '"\ud800"'::json;
SELECT '"\ud83d\ude00"'::jsonb, '"\ud83d\ude00"'::json;
SELECT '"\ud800"'::jsonb;
