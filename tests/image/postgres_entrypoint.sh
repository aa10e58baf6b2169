#!/bin/sh
# Makes the database on the first start, then becomes the server, as user `postgres`.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 --encoding=UTF8 >/dev/null
  printf 'local all all trust\n' >/tmp/first_hba.conf
  pg_ctl --wait --silent start --options="-c listen_addresses='' -c hba_file=/tmp/first_hba.conf"
  [ "$POSTGRES_DB" = postgres ] || createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait --silent --mode=fast stop
fi
exec "$@" -c listen_addresses='*'
