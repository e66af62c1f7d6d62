#!/bin/sh
# Runs in the container of PostgreSQL's standby: takes a copy of the primary, once, and follows it.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	until pg_basebackup -d "host=postgres user=$POSTGRES_USER password=$POSTGRES_PASSWORD application_name=standby" -D "$PGDATA" -R -X stream -c fast; do
		rm -rf "$PGDATA"
		sleep 2
	done
fi
exec postgres -c hot_standby=on
