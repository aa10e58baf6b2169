#!/bin/sh
# Writes data/flights.csv and the tables data/weather.csv and data/planes.csv into a folder: prepare.sh FOLDER.
# TIDEMILL_DATA: the folder with one folder a dataset.
set -eu
source="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/tabular_flights"
data="${1:?name the folder to write to}/data"
mkdir -p "$data"

xz --decompress --stdout "$source/flights.csv.xz" > "$data/flights.csv"
# In a table, a missing number is an empty field.
xz --decompress --stdout "$source/weather.csv.xz" | sed -e ':again' -e 's/,NA,/,,/;t again' -e 's/,NA$/,/' > "$data/weather.csv"
sed -e ':again' -e 's/,NA,/,,/;t again' -e 's/,NA$/,/' "$source/planes.csv" > "$data/planes.csv"
