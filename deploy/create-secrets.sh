#!/bin/sh
# Creates the secrets for compose.yaml in the folder `secrets`. Keeps secrets that exist.
set -eu
umask 077
mkdir -p secrets
cd secrets
# The folder may exist already, with other permissions.
chmod 0700 .

# Hexadecimal digits need no escaping in a URL.
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
create() { [ -s "$1" ] || printf '%s\n' "$2" > "$1"; }

create secret_key "$(random)"
create database_admin_password "$(random)"
create database_owner_password "$(random)"
create database_panel_password "$(random)"
create database_url "postgres://steward_app:$(cat database_panel_password)@database:5432/steward"
create migration_database_url "postgres://steward:$(cat database_owner_password)@database:5432/steward"
# The panel runs as a user of its own and must read these files. The folder stays closed for other users of this machine.
chmod 0444 ./*
echo 'Created the secrets in the folder secrets. Keep a copy: a backup cannot be restored without secret_key.'
