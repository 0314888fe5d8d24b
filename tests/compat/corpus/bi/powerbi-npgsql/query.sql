# Import and DirectQuery.
select "$Table"."sku" as "sku", "$Table"."title" as "title", "$Table"."price" as "price"
	from "public"."item" "$Table" order by "$Table"."sku"
	limit 1000;
select "_"."title" as "c20", sum("_"."stock") as "a0" from "public"."item" "_" group by "_"."title" order by "_"."title" limit 1000001;
select "rows"."title" as "title", count(1) as "a0"
	from ( select "_"."sku", "_"."title" from "public"."item" "_"
		where "_"."sold" = true and "_"."sold" is not null ) "rows"
	group by "title" order by "title";
select "basetable0"."c2" as "c4", sum("basetable0"."c3")::float8 as "a0"
	from ( select "$Outer"."places" as "c3", "$Inner"."title" as "c2"
		from "public"."stands" as "$Outer" inner join "public"."item" as "$Inner" on ("$Outer"."left_key" = "$Inner"."sku") ) as "basetable0"
	group by "basetable0"."c2" order by "c4";
select count(*) as "c" from (select "sku" from "public"."item" limit 1) as "t";
select extract(year from "_"."day") as "y", avg("_"."weight") as "a"
	from "public"."item" "_" where "_"."day" >= date '2024-01-01' and "_"."weight" < 1e10
	group by extract(year from "_"."day") order by 1;
select "_"."title", case when "_"."price" is null then 0 else cast("_"."price" as decimal) end as "p" from "public"."item" "_" order by "_"."sku";
