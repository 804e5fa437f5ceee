-- sites_by_old_report of 0045 replaces it.
DROP INDEX sites_by_report_day;
