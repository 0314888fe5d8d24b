# What extracts and custom SQL try first.
# differs: Temporary tables are not supported yet.
CREATE LOCAL TEMPORARY TABLE "#Tableau_1_2_Connect_Check" ( "COL" INTEGER ) ON COMMIT PRESERVE ROWS;
# differs: Temporary tables are not supported yet.
DROP TABLE IF EXISTS "#Tableau_1_2_Connect_Check";
