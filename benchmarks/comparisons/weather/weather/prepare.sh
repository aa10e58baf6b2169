#!/bin/sh
# Unpacks two of the stations into data/ of a folder: prepare.sh FOLDER. TIDEMILL_DATA: the folder with one folder a dataset.
set -eu
packed="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/weather_beijing_multisite/prsa_beijing_12sites.tar.xz"
data="${1:?name the folder to write to}/data"
mkdir -p "$data"
tar --extract --xz --file "$packed" --directory "$data" --wildcards '*_Dingling_*.csv' '*_Dongsi_*.csv'
