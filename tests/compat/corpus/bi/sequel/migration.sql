# Sequel: what it does to a column stands in one ALTER TABLE.
SET ontosql.purge_history = on;
CREATE TABLE "gad" ("id" uuid PRIMARY KEY, "name" varchar(20) NOT NULL, "p" numeric(10, 2) DEFAULT 1, "on" boolean DEFAULT true, "d" date, "j" jsonb);
INSERT INTO gad (id, name) VALUES ('00000000-0000-0000-0000-000000000001', 'a');
ALTER TABLE "gad" ADD COLUMN "x" text DEFAULT 'a', ALTER COLUMN "x" SET DEFAULT 'b', DROP COLUMN "d";
ALTER TABLE "gad" RENAME COLUMN "x" TO "y";
ALTER TABLE "gad" ALTER COLUMN "name" DROP NOT NULL, ALTER COLUMN "p" TYPE text;
INSERT INTO gad (id) VALUES ('00000000-0000-0000-0000-000000000002');
SELECT * FROM gad ORDER BY id;

# In whatever order: what goes comes first, defaults and NOT NULL last.
ALTER TABLE gad ALTER z SET DEFAULT 3, ALTER z SET NOT NULL, ADD z bigint DEFAULT 2;
ALTER TABLE gad ADD y bigint, ALTER y SET DEFAULT 7, DROP y;
ALTER TABLE gad ADD w bigint, ALTER w SET DEFAULT 9;
INSERT INTO gad (id) VALUES ('00000000-0000-0000-0000-000000000003');
SELECT id, y, z, w FROM gad ORDER BY id;
SELECT column_name, column_default, is_nullable FROM information_schema.columns WHERE table_name = 'gad' AND table_schema = 'public' ORDER BY 1;
ALTER TABLE gad ADD v bigint, ALTER v SET NOT NULL;
ALTER TABLE gad ADD v bigint DEFAULT 1, ALTER v DROP DEFAULT;
ALTER TABLE gad ADD v bigint NOT NULL DEFAULT 1, ALTER v DROP NOT NULL;
ALTER TABLE gad ADD v bigint, ALTER v TYPE text;
ALTER TABLE gad ADD v bigint, DROP v;
ALTER TABLE gad ADD v bigint, ADD v text;
DROP TABLE gad;
