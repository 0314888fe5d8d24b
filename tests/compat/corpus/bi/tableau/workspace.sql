# What extracts and custom SQL try first.
CREATE LOCAL TEMPORARY TABLE "#Tableau_1_2_Connect_Check" ( "COL" INTEGER ) ON COMMIT PRESERVE ROWS;
DROP TABLE IF EXISTS "#Tableau_1_2_Connect_Check";
