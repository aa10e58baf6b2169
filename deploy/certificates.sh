#!/bin/sh
# Makes what services on a network know each other by.
#
# usage: certificates.sh FOLDER NAME...
#
# An authority, FOLDER/ca.pem and ca.key, unless there is one; then for each NAME a certificate NAME.pem
# and its key NAME.key, for the hosts NAME, localhost and 127.0.0.1, and for clients. What is there and
# still good for $RENEW days (30) is kept, so running it again renews. $DAYS (825) is how long new
# certificates are good. $HOSTS adds host names, $OWNER (a user id) is given the keys. Keep ca.key off the
# machines that serve.
set -eu
umask 077
folder=$1
shift
days=${DAYS:-825}
renew=${RENEW:-30}
mkdir -p "$folder"
chmod 755 "$folder"
cd "$folder"

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

if [ ! -e ca.pem ]; then
  new_key ca.key
  openssl req -x509 -new -key ca.key -days 3650 -subj "/CN=Tidemill authority" \
    -addext keyUsage=critical,keyCertSign,cRLSign -out ca.new
  mv ca.new ca.pem
fi
for name; do
  if openssl x509 -in "$name.pem" -noout -checkend $((renew * 86400)) >/dev/null 2>&1 &&
    openssl verify -CAfile ca.pem "$name.pem" >/dev/null 2>&1; then
    continue
  fi
  new_key "$name.key.new"
  hosts="DNS:$name,DNS:localhost,IP:127.0.0.1"
  for host in ${HOSTS:-}; do hosts="$hosts,DNS:$host"; done
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$hosts" >extensions.new
  openssl req -new -key "$name.key.new" -subj "/CN=$name" -out request.new
  told=$(openssl x509 -req -in request.new -CA ca.pem -CAkey ca.key -set_serial "0x$(openssl rand -hex 16)" \
    -days "$days" -extfile extensions.new -out "$name.pem.new" 2>&1) || {
    echo "certificates: $told" >&2
    exit 1
  }
  mv "$name.key.new" "$name.key"
  mv "$name.pem.new" "$name.pem"
  rm -f request.new extensions.new
  [ -z "${OWNER:-}" ] || chown "$OWNER" "$name.key"
done
chmod 644 ./*.pem
