#!/bin/sh
# Copies the CSV of the quickstart to data/ of a folder: prepare.sh FOLDER. It needs no data from outside.
set -eu
data="${1:?name the folder to write to}/data"
mkdir -p "$data"
cp "$(dirname "$0")/../../../../pipelines/quickstart/seattle-weather.csv" "$data/seattle-weather.csv"
