#!/bin/sh
# Makes what the containers of docker-compose.yml trust each other by; run by its `certificates` service
# before the others start, and again whenever it is started, to renew. deploy/kubernetes/secrets.sh runs it, too.
#
# $AUTHORITY (/authority)  the authority and every certificate; no other service sees it
# $SECRETS/X (/secrets/X)  for service X alone: ca.pem, own.pem, own.key, tokens, pgpass
#
# $SUPERVISOR_HOSTS: names by which the supervisor is reached from outside, separated by spaces.
# $DISPATCHER_HOSTS: the same of the dispatcher, which KEDA calls from another namespace.
# $DATABASE_HOST, $DATABASE_PASSWORD_FILE, $DATABASE_CA: of a PostgreSQL that is there already.
set -eu
umask 077
services='storage selector model-store preprocess preprocess-worker trainer-server evaluator supervisor'
tidemill_user=10001
postgres_user=999
authority=${AUTHORITY:-/authority}
secrets=${SECRETS:-/secrets}

here=$(dirname "$0")
"$here/certificates.sh" "$authority" postgres operator keda storage selector model-store preprocess-worker trainer-server evaluator
HOSTS=${SUPERVISOR_HOSTS:-} "$here/certificates.sh" "$authority" supervisor
HOSTS=${DISPATCHER_HOSTS:-} "$here/certificates.sh" "$authority" preprocess

cd "$authority"
[ -e password ] || openssl rand -hex 24 >password
[ -e tokens ] || for role in reader operator service; do
  echo "$role $(openssl rand -hex 32)"
done >tokens

# give SERVICE OWNER: its certificate and key, and the authority's certificate.
give() {
  mkdir -p "$secrets/$1"
  cp ca.pem "$secrets/$1/ca.pem"
  cp "$1.pem" "$secrets/$1/own.pem"
  cp "$1.key" "$secrets/$1/own.key"
  [ "$(id -u)" != 0 ] || chown -R "$2" "$secrets/$1"
}
for service in $services; do
  mkdir -p "$secrets/$service"
  cp tokens "$secrets/$service/tokens"
  echo "${DATABASE_HOST:-postgres}:5432:tidemill:tidemill:$(cat "${DATABASE_PASSWORD_FILE:-password}")" >"$secrets/$service/pgpass"
  [ -z "${DATABASE_CA:-}" ] || cp "$DATABASE_CA" "$secrets/$service/database-ca.pem"
  give "$service" $tidemill_user
done
mkdir -p "$secrets/operator" "$secrets/postgres"
grep '^operator ' tokens >"$secrets/operator/tokens"
give operator $tidemill_user
cp password "$secrets/postgres/password"
give postgres $postgres_user
