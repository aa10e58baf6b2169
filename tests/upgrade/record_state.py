#!/usr/bin/env python3
"""Records what a release of Tidemill leaves behind, for older_state_test.cc.

  record_state.py PROGRAMS ARCHIVE

PROGRAMS is the folder of the release's programs. A new stack of theirs runs a pipeline to its end (run 1). Then it runs
the pipeline again and is killed in the middle (run 2). ARCHIVE (.tar.xz) gets the state folder, the data, the pipeline,
what the release said about run 1, and the database as SQL, because a copy of a cluster is a hundred times as large.

The state is recorded in /tmp/tidemill-older-state and has to be used there: files name their paths, and digests cover
these names."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path('/tmp/tidemill-older-state')
STATE = ROOT / 'state'
PIPELINE = '''version: 1
name: small
description: A pipeline that takes a few seconds.
datasets:
  drift:
    path: .
    files: "drift.csv"
    format: {type: csv, header: true}
    event_time: {column: time}
    label: {column: class, classes: [DOWN, UP]}
    settle: 0s
preprocess:
  dataset: drift
  graph:
    - parse_csv: {columns: [a, b, c], dtype: float32}
    - standardize: {columns: all}
    - stack: {columns: all, into: input}
    - label: {into: target}
model: {type: mlp, hidden: [8], outputs: 2}
trigger:
  type: ensemble
  vote: any
  first: 200
  of:
    - {type: amount, samples: 400}
    - type: drift
      evaluate: {samples: 100}
      of: columns
      columns: [a, b]
      reference: {samples: 100}
      current: {samples: 100}
      statistic: ks
      criterion: {type: p_value, alpha: 1e-4}
selection: {type: balanced, fraction: 0.8, weights: inverse_probability}
training:
  device: cpu
  epochs: 4
  batch_size: 16
  optimizer: {type: adam, lr: 1e-2}
  loss: cross_entropy
  warm_start: true
  seed: 11
  checkpoint_every: 300
evaluation:
  - dataset: drift
    windows: {type: between_triggers}
    models: all
    measures: [accuracy, {type: f1, average: macro}]
'''


def write_data(path):
    """1,200 samples, one a minute. The boundary turns, `a` shifts once, and two labels are wrong."""
    draw = random.Random(7)
    first = datetime(2023, 11, 14, 22, 13, 20)
    lines = ['time,a,b,c,class']
    for row in range(1200):
        a = draw.uniform(-1, 1) + (0.8 if row >= 600 else 0)
        b, c = draw.uniform(-1, 1), draw.random()
        label = 'none' if row in (300, 900) else 'UP' if a * (1200 - row) + b * row > 0 else 'DOWN'
        at = first + timedelta(minutes=row)
        lines.append(f'{at:%Y-%m-%dT%H:%M:%SZ},{a:.6f},{b:.6f},{c:.6f},{label}')
    path.write_text('\n'.join(lines) + '\n')


def tidemill(programs, *words):
    done = subprocess.run([programs / 'tidemill', *words, '--state', STATE], capture_output=True, text=True)
    if done.returncode not in (0, 8):
        sys.exit(f'tidemill {" ".join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}')
    return done.stdout


def members(database):
    """The processes that name the state folder or the database's, and their descendants."""
    parents, found = {}, set()
    for entry in Path('/proc').glob('[0-9]*'):
        try:
            words = (entry / 'cmdline').read_bytes().decode(errors='replace')
            parents[int(entry.name)] = int((entry / 'stat').read_text().rsplit(')', 1)[1].split()[1])
        except OSError:
            continue
        if (str(STATE) in words or database in words) and int(entry.name) != os.getpid():
            found.add(int(entry.name))
    grew = True
    while grew:
        more = {process for process, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return found


def lives(process):
    try:
        return Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def run_and_kill(programs, pipeline, database):
    tidemill(programs, 'run', pipeline, '--detach')
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        run = json.loads(tidemill(programs, 'runs', 'show', '2', '--json').splitlines()[-1])
        models = sum(1 for trigger in run['triggers'] if trigger.get('model'))
        if models >= 2:
            killed = members(database)
            for process in killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            # PostgreSQL takes a process that has not been waited for yet for a running one.
            while any(lives(process) for process in killed):
                time.sleep(0.01)
            (Path(database) / 'data/postmaster.pid').unlink(missing_ok=True)
            return models
    sys.exit('run 2 did not get two models')


def as_postgres(*words):
    user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] if os.geteuid() == 0 else []
    return subprocess.run([*user, *map(str, words)], check=True, capture_output=True, text=True, cwd='/').stdout


def dump(database):
    """Returns the database as SQL, after the recovery that follows a kill."""
    binaries = subprocess.run(['pg_config', '--bindir'], capture_output=True, text=True).stdout.strip()
    binaries = Path(binaries or sorted(Path('/usr/lib/postgresql').iterdir())[-1] / 'bin')
    with tempfile.TemporaryDirectory(prefix='tm-', dir='/tmp') as sockets:
        os.chmod(sockets, 0o777)
        data = f'{database}/data'
        as_postgres(binaries / 'pg_ctl', '-D', data, '-w', '-l', f'{database}/dump.log', '-o',
                    f"-k {sockets} -c listen_addresses=''", 'start')
        try:
            sql = as_postgres(binaries / 'pg_dump', '-h', sockets, '-U', 'tidemill', '--no-owner', '--no-privileges',
                              '--inserts', '--rows-per-insert=500', 'tidemill')
            # Commands of psql, which are not SQL.
            return re.sub(r'^\\(un)?restrict .*\n', '', sql, flags=re.MULTILINE)
        finally:
            as_postgres(binaries / 'pg_ctl', '-D', data, '-w', 'stop')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    programs, archive = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if ROOT.exists():
        sys.exit(f'{ROOT} exists; remove it with its stack')
    files = ROOT / 'files'
    files.mkdir(parents=True)
    write_data(files / 'drift.csv')
    (files / 'pipeline.yaml').write_text(PIPELINE)

    said = ROOT / 'said'
    said.mkdir()
    tidemill(programs, 'up')
    tidemill(programs, 'run', str(files / 'pipeline.yaml'), '--json')
    (said / 'run.json').write_text(tidemill(programs, 'runs', 'show', '1', '--json'))
    (said / 'run.txt').write_text(tidemill(programs, 'runs', 'show', '1'))
    for trigger in ('1', '2', '3', '4'):
        (said / f'why_{trigger}.txt').write_text(tidemill(programs, 'why', f'1/{trigger}'))
    database = json.loads(tidemill(programs, 'status', '--json').splitlines()[-1])['database_folder']
    models = run_and_kill(programs, str(files / 'pipeline.yaml'), database)

    (ROOT / 'database.sql').write_text(dump(database))
    for name in ('logs', 'stack.lock', 'stack.start', 'stack.users', 'postgres'):
        path = STATE / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    subprocess.run(['tar', '-C', ROOT, '--owner=0', '--group=0', '--numeric-owner', '--sort=name', '-cJf', archive,
                    *sorted(entry.name for entry in ROOT.iterdir())], check=True)
    shutil.rmtree(database, ignore_errors=True)
    shutil.rmtree(ROOT)
    print(f'{archive}: {archive.stat().st_size} bytes; run 2 was killed with {models} models')


main()
