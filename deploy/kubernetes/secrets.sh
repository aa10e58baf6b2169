#!/bin/sh
# Makes the secrets of every pod, and prints them as manifests.
#
# usage: deploy/kubernetes/secrets.sh FOLDER | kubectl apply --namespace tidemill -f -
#
# FOLDER keeps the authority, which later calls renew certificates with: keep it where no pod sees it. FOLDER/secrets has what
# is printed. $SUPERVISOR_HOSTS and the variables of the database are those of deploy/secrets.sh; files that they name have
# absolute paths. $NAMESPACE (tidemill) is in the names that KEDA calls.
set -eu
umask 077
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
namespace=${NAMESPACE:-tidemill}

export AUTHORITY=$folder/authority SECRETS=$folder/secrets
export DISPATCHER_HOSTS="preprocess.$namespace preprocess.$namespace.svc preprocess.$namespace.svc.cluster.local"
"$here/../secrets.sh"
mkdir -p "$SECRETS/keda"
for file in ca.pem keda.pem keda.key; do
  cp "$AUTHORITY/$file" "$SECRETS/keda/$(echo "$file" | sed 's/^keda/own/')"
done

for service in "$SECRETS"/*; do
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s-secrets\ntype: Opaque\ndata:\n' "${service##*/}"
  for file in "$service"/*; do
    printf '  %s: %s\n' "${file##*/}" "$(base64 -w 0 <"$file")"
  done
done
