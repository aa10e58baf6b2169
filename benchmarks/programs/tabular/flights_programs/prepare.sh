#!/bin/sh
# Writes the data of the suite's flights, and the program, into a folder: prepare.sh FOLDER. TIDEMILL_DATA: the folder with
# one folder a dataset.
set -eu
repository="$(dirname "$0")/../../../.."
"$repository/benchmarks/suite/tabular/flights/prepare.sh" "$1"
cp "$repository/pipelines/quickstart/programs/boosting.py" "$1"
