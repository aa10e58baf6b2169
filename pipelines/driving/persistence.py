#!/usr/bin/env python3
"""MAE of "the speed does not change" on the windows of pipeline.yaml, by month. Shares no code with Tidemill."""

import collections
import csv
import datetime
import lzma
import os
import pathlib

HISTORY, HORIZON = 10, 5

rows = []
with lzma.open(pathlib.Path(os.environ["TIDEMILL_DATA"]) / "driving_kit_obd2" / "obd2_1hz.csv.xz", "rt") as file:
    for row in csv.DictReader(file):
        rows.append((row["trip"], datetime.datetime.fromisoformat(row["timestamp"]), float(row["speed_kmh"])))

errors = collections.defaultdict(list)
run = 0
for i, (trip, time, speed) in enumerate(rows):
    before = rows[i - 1] if i else (None, time, 0)
    run = run + 1 if trip == before[0] and (time - before[1]).total_seconds() == 1 else 1
    if run >= HISTORY + HORIZON:
        anchor = rows[i - HORIZON]
        errors[anchor[1].strftime("%Y-%m")].append(abs(speed - anchor[2]))
for month, found in sorted(errors.items()):
    print(f"{month} {sum(found) / len(found):.3f} over {len(found):,}")
found = sum(errors.values(), [])
print(f"all     {sum(found) / len(found):.3f} over {len(found):,}")
