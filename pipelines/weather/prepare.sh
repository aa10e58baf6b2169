#!/bin/sh
# Unpacks the stations into data/ beside this script. TIDEMILL_DATA: the folder with one folder a dataset.
set -eu
packed="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/weather_beijing_multisite/prsa_beijing_12sites.tar.xz"
data="$(cd "$(dirname "$0")" && pwd)/data"
sha256="a0a894d9a6838dd884f5a057d83fb30919e5205c53d3891c2e6dd1eebe8557f6"

echo "$sha256  $packed" | sha256sum --check --quiet
mkdir -p "$data"
tar --extract --xz --file "$packed" --directory "$data"
