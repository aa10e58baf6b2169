#!/usr/bin/env python3
"""MAE of "the temperature does not change" on the windows of pipeline.yaml. Shares no code with Tidemill."""

import collections
import csv
import pathlib

HISTORY, HORIZON = 24, 6

errors = collections.defaultdict(list)
for path in sorted((pathlib.Path(__file__).parent / "data").glob("*.csv")):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for i in range(HISTORY - 1, len(rows) - HORIZON):
        window = rows[i - HISTORY + 1 : i + 1]
        ahead = rows[i + HORIZON]["TEMP"]
        # A window that lacks the target is not a sample, one that lacks an input is a bad sample.
        needed = [row["TEMP"] for row in window] + [rows[i][name] for name in ("PRES", "DEWP", "RAIN", "WSPM")]
        if "NA" in (ahead, *needed):
            continue
        error = abs(float(ahead) - float(rows[i]["TEMP"]))
        errors[f"{rows[i]['year']}-{int(rows[i]['month']):02}"].append(error)
for month in ("2013-12", "2014-12"):
    print(f"{month} {sum(errors[month]) / len(errors[month]):.3f} over {len(errors[month]):,}")
found = sum((values for month, values in sorted(errors.items()) if month != "2013-03"), [])
print(f"from April 2013 on {sum(found) / len(found):.3f} over {len(found):,}")
