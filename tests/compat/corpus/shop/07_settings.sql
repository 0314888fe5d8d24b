# A unit is hinted at only where there is a number, and a role that is not there is a bad value.
SET work_mem = 'abc';
SET work_mem = '5 apples';
SET work_mem = '1.5 GB';
SHOW work_mem;
SET work_mem = '2e3kB';
SHOW work_mem;
SET statement_timeout = 'x';
SET statement_timeout = '5 q';
SET statement_timeout = '1.5 min';
SHOW statement_timeout;
SET statement_timeout = 0;
SET ROLE nobody;
SET ROLE 'x y';

# pg_catalog is searched first where the path does not name it, and in its place where it does.
SET search_path = public, pg_catalog, nowhere;
SELECT current_schema(), current_schemas(false), current_schemas(true);
SET search_path = pg_catalog, public;
SELECT current_schema(), current_schemas(false), current_schemas(true);
SET search_path = nowhere;
SELECT current_schema(), current_schemas(false), current_schemas(true);
RESET search_path;
SELECT current_schema(), current_schemas(false), current_schemas(true);
RESET ALL;
