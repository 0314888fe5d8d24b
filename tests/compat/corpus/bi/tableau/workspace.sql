# What extracts and custom SQL try first.
# differs: There are no temporary tables yet.
CREATE LOCAL TEMPORARY TABLE "#Tableau_1_2_Connect_Check" ( "COL" INTEGER ) ON COMMIT PRESERVE ROWS;
# differs: There are no temporary tables yet.
DROP TABLE IF EXISTS "#Tableau_1_2_Connect_Check";
