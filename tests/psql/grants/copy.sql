\set VERBOSITY verbose
CREATE ROLE gr_p;
CREATE SCHEMA gr_s;
CREATE TABLE gr_s.t (id int, a text);
CREATE TABLE gr_t (id int PRIMARY KEY, a text, b int);
SET ROLE gr_p;
COPY gr_s.t FROM STDIN;
\.
COPY gr_t FROM STDIN;
\.
RESET ROLE;
GRANT USAGE ON SCHEMA gr_s TO gr_p;
GRANT SELECT, UPDATE, DELETE ON gr_s.t TO gr_p;
GRANT INSERT (id, a) ON gr_t TO gr_p;
SET ROLE gr_p;
COPY gr_s.t (id) FROM STDIN;
\.
COPY gr_t (id, b) FROM STDIN;
\.
COPY gr_t (id, a) FROM STDIN;
\.
RESET ROLE;
GRANT INSERT ON gr_s.t TO gr_p;
SET ROLE gr_p;
COPY gr_s.t (id) FROM STDIN;
1
\.
RESET ROLE;
DROP TABLE gr_s.t;
DROP TABLE gr_t;
DROP SCHEMA gr_s;
DROP ROLE gr_p;
