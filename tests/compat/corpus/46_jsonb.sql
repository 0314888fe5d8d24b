# jsonb contains jsonb
SELECT '{"a":{"b":1}}'::jsonb @> '{"b":1}', '{"a":{"b":1,"c":2}}'::jsonb @> '{"a":{"c":2}}', '[1,[2]]'::jsonb @> '[2]', '[1,[2]]'::jsonb @> '[[2]]', '[1,[2]]'::jsonb @> '[[1]]', '[[1,2],[3]]'::jsonb @> '[[2],[3],[1]]';
SELECT '[[1,2],[3]]'::jsonb @> '[[2,3]]', '[[]]'::jsonb @> '[]', '[1]'::jsonb @> '[[]]', '[[1]]'::jsonb @> '[{}]', '[{"a":1,"b":2}]'::jsonb @> '[{}]', '{"a":1}'::jsonb @> '1';
SELECT '{"x":"y"}'::jsonb @> '"y"', '{"x":"y"}'::jsonb @> '"x"', '[1,2]'::jsonb @> '1', '["foo"]'::jsonb @> '"foo"', '[[1]]'::jsonb @> '1', '[]'::jsonb @> '1';
SELECT '1'::jsonb @> '[1]', '1'::jsonb @> '[]', '1'::jsonb @> '1.0', '[1.0]'::jsonb @> '[1]', '[100]'::jsonb @> '[1e2]', '[-0]'::jsonb @> '[0]';
SELECT '[1]'::jsonb @> '["1"]', '["true", "null"]'::jsonb @> '[true]', '[null]'::jsonb @> '[null]', '[null]'::jsonb @> 'null', '{"a":null}'::jsonb @> '{"b":null}', '{"a":[1,2]}'::jsonb @> '{"a":[]}';
SELECT '{"a":[1,2]}'::jsonb @> '{"a":1}', '{"a":[1,2]}'::jsonb @> '{"a":{}}', '{"a":1}'::jsonb @> '{}', '{}'::jsonb @> '{"a":1}', '{}'::jsonb @> '[]', '[]'::jsonb @> '{}';
SELECT '[1]'::jsonb @> '[1,1,1]', '{"a":1,"a":2}'::jsonb @> '{"a":2}', '{"a":1,"a":2}'::jsonb @> '{"a":1}', '{"a":2}'::jsonb @> '{"a":1,"a":2}', '["é"]'::jsonb @> '["\u00e9"]';
SELECT '{"b":1}'::jsonb <@ '{"a":{"b":1}}', '[2]'::jsonb <@ '[1,[2]]', '1'::jsonb <@ '[1,2]', '[1]'::jsonb <@ '1', '{}'::jsonb <@ '{"a":1}', jsonb_contains('[1,[2]]', '[2]'), jsonb_contains('[1.0]', '1'), jsonb_contained('[2]', '[1,[2]]'), jsonb_contained('1', '[1.0]');
SELECT NULL::jsonb @> '{}', '{}'::jsonb @> NULL, NULL::jsonb <@ '1', jsonb_contains(NULL, '1'), jsonb_contained('1', NULL);
SELECT id FROM customer WHERE attrs @> '{"x": 1}' ORDER BY id;
SELECT id FROM customer WHERE attrs @> '"b"' OR attrs -> 'tags' @> '"b"' ORDER BY id;
SELECT id, attrs @> '{}', attrs <@ attrs, attrs @> '{"n": 1.0}', '{"deep":{}}' <@ attrs FROM customer ORDER BY id;
SELECT '{"a":1}'::jsonb @> '{"a"';
# jsonb compared with a literal
SELECT '1'::jsonb = '1', '1'::jsonb = '1.0', '1.0' = '1'::jsonb, 'null'::jsonb = 'null', '{"a":1,"b":2}'::jsonb = '{"b":2, "a":1}', '"x"'::jsonb <> '"x"', '[1]'::jsonb < '[2]', '[3]' > '{}'::jsonb;
SELECT '1'::jsonb IN ('2', '1.0'), '1'::jsonb NOT IN ('2', '3'), '1' IN ('1.0'::jsonb, '2'), '{"a":1}'::jsonb IN ('{"a": 1}'), '1'::jsonb IN ('2', NULL);
SELECT '1'::jsonb BETWEEN '0' AND '1.0', '2' BETWEEN '1'::jsonb AND '3', '1'::jsonb IS DISTINCT FROM '1.0', '1'::jsonb IS NOT DISTINCT FROM NULL, nullif('1'::jsonb, '1.0'), nullif('1'::jsonb, '2');
SELECT '1'::jsonb = NULL, CASE '1'::jsonb WHEN '1.0' THEN 'one' ELSE 'other' END;
SELECT '1'::jsonb = '{';
SELECT id FROM customer WHERE attrs <> '{}' ORDER BY id;
SELECT id FROM customer WHERE attrs = '{}' OR attrs -> 'n' = '1' OR attrs -> 'city' IN ('"Cork"', '"London"') ORDER BY id;
SELECT id FROM customer WHERE attrs -> 'n' > '1' ORDER BY id;
SELECT '1'::jsonb = ANY ('{1.0,2}'), '1'::jsonb = ANY (ARRAY['1.0'::jsonb]), '1' = ANY (ARRAY['1.0'::jsonb]), '1'::jsonb <> ALL (ARRAY['1.0'::jsonb]);
# like_regex and newlines
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "s")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "s")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "s")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "s")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "m")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "m")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "m")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "m")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "ms")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "ms")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "ms")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "ms")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "i")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "i")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "i")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "i")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "is")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "is")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "is")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "is")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "q")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "q")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "q")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "q")');
SELECT jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a.b" flag "qi")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "^b" flag "qi")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a$" flag "qi")'), jsonb_path_query_array('["a\nb","ab","a b","axb","A\nB"]', '$[*] ? (@ like_regex "a[^x]b" flag "qi")');
SELECT jsonb_path_query('[]', '$[*] ? (@ like_regex "a" flag "z")');
