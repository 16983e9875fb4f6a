"""The commands `pksk backup ...`: backups of tables, kept in the file of the tables themselves."""
