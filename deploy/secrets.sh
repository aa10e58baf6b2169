#!/bin/sh
# Makes what the containers of docker-compose.yml trust each other by; run by its `certificates` service
# before the others start, and again whenever it is started, to renew.
#
# /authority  the authority and every certificate; no other service sees it
# /secrets/X  for service X alone: ca.pem, own.pem, own.key, tokens, pgpass
#
# $SUPERVISOR_HOSTS: names by which the supervisor is reached from outside, separated by spaces.
set -eu
umask 077
services='storage selector model-store preprocess preprocess-worker trainer-server evaluator supervisor'
tidemill_user=10001
postgres_user=999

here=$(dirname "$0")
"$here/certificates.sh" /authority postgres operator storage selector model-store preprocess preprocess-worker trainer-server evaluator
HOSTS=${SUPERVISOR_HOSTS:-} "$here/certificates.sh" /authority supervisor

cd /authority
[ -e password ] || openssl rand -hex 24 >password
[ -e tokens ] || for role in reader operator service; do
  echo "$role $(openssl rand -hex 32)"
done >tokens

# give SERVICE OWNER: its certificate and key, and the authority's certificate.
give() {
  cp ca.pem "/secrets/$1/ca.pem"
  cp "$1.pem" "/secrets/$1/own.pem"
  cp "$1.key" "/secrets/$1/own.key"
  chown -R "$2" "/secrets/$1"
}
for service in $services; do
  cp tokens "/secrets/$service/tokens"
  echo "postgres:5432:tidemill:tidemill:$(cat password)" >"/secrets/$service/pgpass"
  give "$service" $tidemill_user
done
grep '^operator ' tokens >/secrets/operator/tokens
give operator $tidemill_user
cp password /secrets/postgres/password
give postgres $postgres_user
