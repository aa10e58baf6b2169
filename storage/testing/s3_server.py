"""OpenStack Swift on loopback, which speaks S3 and checks signatures: for tests.

s3_server.py FOLDER ACCESS_KEY SECRET: serves until it is killed, from what FOLDER holds, and writes the
port to FOLDER/port; started again on that folder, it has the same one. FOLDER/tls_port is served with
the certificate FOLDER/certificate.pem. All of Swift's servers run in this one process, each disk write goes without a
sync, and what a memcached would hold is held in memory.
"""
import os
import subprocess
import sys
from array import array

import eventlet

eventlet.monkey_patch()

import eventlet.wsgi
from swift.common import utils
from swift.common.ring import RingData

# The tests' machine does not lose its power.
os.fsync = os.fdatasync = lambda descriptor: None

FOLDER, ACCESS_KEY, SECRET = sys.argv[1:4]
ACCOUNT, USER = ACCESS_KEY.split(":")

# Swift reads this one when it is imported further.
os.makedirs(FOLDER + "/disks/one", exist_ok=True)
with open(FOLDER + "/swift.conf", "w") as file:
    file.write("[swift-hash]\nswift_hash_path_suffix = tests\n"
               "[storage-policy:0]\nname = one\ndefault = yes\n")
utils.set_swift_dir(FOLDER)

from swift.common.wsgi import ConfigString, loadapp

DEFAULTS = f"""[DEFAULT]
swift_dir = {FOLDER}
devices = {FOLDER}/disks
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = ERROR
"""

PROXY = f"""
[pipeline:main]
pipeline = catch_errors memory s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:memory]
paste.filter_factory = __main__:memory_factory
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_{ACCOUNT}_{USER} = {SECRET} .admin
"""


class Memory:
    """What a memcached would hold."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def incr(self, key, delta=1, **_):
        self.values[key] = int(self.values.get(key, 0)) + delta
        return self.values[key]

    def delete(self, key, **_):
        self.values.pop(key, None)


def memory_factory(*_, **__):
    memory = Memory()

    def wrap(application):
        def call(environment, start_response):
            environment["swift.cache"] = memory
            return application(environment, start_response)
        return call
    return wrap


class Silent:
    """A log that nobody reads."""

    def info(self, *_):
        pass
    debug = write = error = info


def serve(listener, application):
    eventlet.wsgi.server(listener, application, log=Silent(), log_output=False)


def listen(port=0):
    return eventlet.listen(("127.0.0.1", port), backlog=256)


def encrypted(listener):
    key, certificate = FOLDER + "/key.pem", FOLDER + "/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return eventlet.wrap_ssl(listener, keyfile=key, certfile=certificate, server_side=True)


def port_before():
    try:
        with open(FOLDER + "/port") as file:
            return int(file.read())
    except FileNotFoundError:
        return 0


def write_ring(kind, port):
    device = {"id": 0, "region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "one",
              "weight": 1.0, "meta": "", "replication_ip": "127.0.0.1", "replication_port": port}
    RingData([array("H", [0])], [device], 32).save(f"{FOLDER}/{kind}.ring.gz")


def main():
    backends = {kind: listen() for kind in ("account", "container", "object")}
    for kind, listener in backends.items():
        write_ring(kind, listener.getsockname()[1])
    for kind, listener in backends.items():
        application = loadapp(ConfigString(
            f"{DEFAULTS}[pipeline:main]\npipeline = backend\n[app:backend]\nuse = egg:swift#{kind}\n"))
        eventlet.spawn(serve, listener, application)
    proxy = loadapp(ConfigString(DEFAULTS + PROXY))
    secure = listen()
    with open(FOLDER + "/tls_port", "w") as file:
        file.write(str(secure.getsockname()[1]))
    eventlet.spawn(serve, encrypted(secure), proxy)
    listener = listen(port_before())
    with open(FOLDER + "/port.part", "w") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(FOLDER + "/port.part", FOLDER + "/port")
    serve(listener, proxy)


main()
