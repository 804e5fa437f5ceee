#!/bin/sh
# Creates the owner of the tables, the role of the panel, and the database. PostgreSQL's image runs this file once, when
# it creates its data.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set=owner_password="$(cat "$OWNER_PASSWORD_FILE")" \
  --set=panel_password="$(cat "$PANEL_PASSWORD_FILE")" <<'SQL'
CREATE ROLE steward LOGIN PASSWORD :'owner_password';
CREATE ROLE steward_app LOGIN PASSWORD :'panel_password';
CREATE DATABASE steward OWNER steward;
SQL
