#!/usr/bin/env bash
# Installs the loaders that are compared with Tidemill: setup.sh FOLDER
#
# Each list in requirements/ becomes its own virtual environment in FOLDER; what does not change is left alone. About 5
# GB. A list that cannot be installed is reported, and its loaders with it; the others continue.
set -uo pipefail
cd "$(dirname "$0")" || exit
folder=$1
mkdir -p "$folder"
for list in requirements/*.txt; do
  name=$(basename "$list" .txt)
  cmp -s "$list" "$folder/$name/installed.txt" && continue
  echo "peers: installing $list into $folder/$name" >&2
  python3 -m venv "$folder/$name" &&
    "$folder/$name/bin/pip" install --quiet --disable-pip-version-check -r "$list" >"$folder/$name.log" 2>&1 &&
    # Its wheels need CUDA's libraries, and no loader here uses it.
    "$folder/$name/bin/pip" uninstall --quiet --yes torchvision >>"$folder/$name.log" 2>&1 &&
    cp "$list" "$folder/$name/installed.txt" ||
    echo "peers: $list cannot be installed, see $folder/$name.log" >&2
done
# SPDL decodes with FFmpeg's libraries.
if ! ldconfig -p | grep -q libavdevice && [ "$(id -u)" = 0 ]; then
  apt-get install -y -qq --no-install-recommends libavdevice59 libavfilter8 libavformat59 libavcodec59 >/dev/null 2>&1 ||
    echo "peers: FFmpeg's libraries cannot be installed; SPDL decodes with libjpeg-turbo" >&2
fi
