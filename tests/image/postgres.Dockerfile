# PostgreSQL 15 from Debian's packages under the contract of `postgres:15-bookworm` that docker-compose.yml uses: the
# user with id 999, the data folder, POSTGRES_USER, POSTGRES_DB and POSTGRES_PASSWORD_FILE. It stands in where no
# registry of images is reached.
FROM debian:bookworm-slim
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 --home-dir /var/lib/postgresql postgres \
    && mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
    && apt-get update && apt-get install -y --no-install-recommends postgresql-15 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o postgres -g postgres /var/lib/postgresql/data /var/run/postgresql
COPY tests/image/postgres_entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres_entrypoint.sh"]
CMD ["postgres"]
