#!/bin/sh
# Runs once in the container of PostgreSQL's primary, after its database was made. From its next start on
# a commit waits for the standby. Before that it must not, because there is none yet.
set -e
echo "host replication $POSTGRES_USER all scram-sha-256" >>"$PGDATA/pg_hba.conf"
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
