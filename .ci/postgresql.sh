# Sets DOMAIN_ACCESS_TEST_DATABASE to a PostgreSQL that the tests may use: the one it names already, the one of this
# machine that lets us in, else one of Debian's packages, started here in a folder of its own and stopped at the end.

postgresql_bin() {
    local found
    found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    if [ -z "$found" ] && command -v initdb >/dev/null; then
        found=$(dirname "$(readlink -f "$(command -v initdb)")")
    fi
    [ -x "$found/initdb" ] && echo "$found"
}

postgresql_answers() {
    command -v psql >/dev/null && PGCONNECT_TIMEOUT=3 psql -w -X -q -d "$1" -c 'SELECT 1' >/dev/null 2>&1
}

# The server refuses to run as root.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

start_postgresql() {
    if ! postgresql_bin >/dev/null; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            echo "the tests need PostgreSQL: install it, or name a server in DOMAIN_ACCESS_TEST_DATABASE" >&2
            return 1
        fi
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update >&2
        apt-get -qq install -y --no-install-recommends postgresql >&2
    fi
    local bin port
    bin=$(postgresql_bin)
    postgresql_folder=$(mktemp -d)
    postgresql_stop="$bin/pg_ctl"
    trap stop_postgresql EXIT
    if [ "$(id -u)" = 0 ]; then chown postgres "$postgresql_folder"; fi
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    (
        cd "$postgresql_folder"
        as_postgres "$bin/initdb" -D "$postgresql_folder/data" -U postgres -A trust -E UTF8 --locale=C >/dev/null
        as_postgres "$bin/pg_ctl" -D "$postgresql_folder/data" -l "$postgresql_folder/log" -w -t 60 \
            -o "-c listen_addresses=127.0.0.1 -p $port -k $postgresql_folder" start >/dev/null
    )
    DOMAIN_ACCESS_TEST_DATABASE="postgresql://postgres@127.0.0.1:$port/postgres"
}

stop_postgresql() {
    (cd / && as_postgres "$postgresql_stop" -D "$postgresql_folder/data" -m immediate stop >/dev/null) || true
    rm -rf "$postgresql_folder"
}

if [ -z "${DOMAIN_ACCESS_TEST_DATABASE:-}" ]; then
    DOMAIN_ACCESS_TEST_DATABASE=postgresql://postgres@127.0.0.1:5432/test
    if ! postgresql_answers "$DOMAIN_ACCESS_TEST_DATABASE"; then start_postgresql; fi
fi
export DOMAIN_ACCESS_TEST_DATABASE
echo "PostgreSQL: $(sed -E 's#(//[^:/@]*):[^@]*@#\1:***@#' <<<"$DOMAIN_ACCESS_TEST_DATABASE")"
