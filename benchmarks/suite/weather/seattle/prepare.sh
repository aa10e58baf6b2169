#!/bin/sh
# Copies the quickstart's data into FOLDER: prepare.sh FOLDER
set -e
cp "$(dirname "$0")/../../../../pipelines/quickstart/seattle-weather.csv" "$1"
