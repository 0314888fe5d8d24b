# The data editor.
SELECT * FROM public.item ORDER BY sku LIMIT 200;
SELECT item.* FROM public.item ORDER BY item.title ASC, item.sku LIMIT 200 OFFSET 2;
SELECT count(*) FROM public.item;
SELECT sku, title FROM public.item t WHERE (title ILIKE '%an%') ORDER BY sku;
SELECT title, sku FROM public.item WHERE sku = 1;
SELECT DISTINCT title FROM public.item ORDER BY title LIMIT 200;
BEGIN;
UPDATE public.item SET stock=7 WHERE sku=1;
INSERT INTO public.item (sku, title) VALUES(90, 'from the editor');
ROLLBACK;
SELECT sku, stock FROM public.item WHERE sku IN (1, 90) ORDER BY sku;
SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = {shelf};
select pg_catalog.pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = {owns} ORDER BY conname;
