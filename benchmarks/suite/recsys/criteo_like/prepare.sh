#!/bin/sh
# Makes data/samples.tsv in a folder: prepare.sh FOLDER [SAMPLES]. It needs no data from outside.
set -eu
data="${1:?name the folder to write to}/data"
mkdir -p "$data"
"$(dirname "$0")/generate.py" "$data/samples.tsv" "${2:-40000}"
