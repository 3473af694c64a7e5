# shellcheck shell=bash
# Sourced by ./test and .ci/run after setup.sh: gives the tests of PostgresBackend a server.
#
# It exports STRATA_POSTGRES, the location of a database that the tests may fill: they make a
# namespace for each store, and drop it. A location that is set beforehand is used as it is. Else a
# temporary server is started on a Unix socket, and stopped when the script ends. Where no server can
# be had, one line says so, and the tests report that they were skipped. The server gets the options in
# postgres_settings, beside its own. With postgres_as_found nothing is installed, and nothing said where
# the machine has no server. With STRATA_POSTGRES_HOSTILE=1, the tests run in a database in which another
# role has put functions, operators and tables into `public` (hostile.sql); hostile_calls prints the number of
# their calls.

# Prints the folder of the server's programs, which STRATA_POSTGRES_PROGRAMS names where it is set;
# fails where there are none.
postgres_programs() {
  local folder folders=("$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin)
  [ -z "${STRATA_POSTGRES_PROGRAMS:-}" ] || folders=("$STRATA_POSTGRES_PROGRAMS")
  for folder in "${folders[@]}"; do
    if [ -n "$folder" ] && [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then
      echo "$folder"
      return 0
    fi
  done
  return 1
}

# Installs the server, without the cluster that Debian's package would make and start.
install_postgres() { install_server_package postgresql; }

# Installs PgBouncer, whose tests are skipped where it cannot be had.
install_pooler() {
  [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || install_server_package pgbouncer
}

install_server_package() {
  local as=() package=$1
  [ -z "${postgres_as_found:-}" ] || return 1
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || return 1
    as=(sudo -n)
  fi
  if command -v apt-get >/dev/null; then
    echo "installing $package"
    "${as[@]}" mkdir -p /etc/postgresql-common 2>/dev/null || return 1
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
      echo "create_main_cluster = false" \
        | "${as[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null || return 1
    fi
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "$package" >/dev/null 2>&1 && return 0
    "${as[@]}" apt-get update >/dev/null 2>&1 || true
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "$package" >/dev/null 2>&1
  elif command -v brew >/dev/null; then
    echo "installing $package with Homebrew"
    brew install "$package" >/dev/null 2>&1
  else
    return 1
  fi
}

# Runs a command as a user that the server's programs accept: they refuse root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# Stops the server and removes its folder.
stop_postgres() {
  [ -n "${postgres_folder:-}" ] || return 0
  as_postgres "$postgres_bin/pg_ctl" stop -D "$postgres_folder/data" -m immediate >/dev/null 2>&1 || true
  rm -rf "$postgres_folder"
  postgres_folder=
}

# Starts a server of its own and exports STRATA_POSTGRES; fails where that is not possible.
start_postgres() {
  postgres_bin=$(postgres_programs) || { install_postgres && postgres_bin=$(postgres_programs); } \
    || return 1
  # A socket's path has 107 bytes at most.
  postgres_folder=$(mktemp -d /tmp/pg.XXXXXX) || return 1
  # Scripts that source this one may have something to do at their end, too.
  postgres_trap=$(trap -p EXIT | sed -e "s/^trap -- '//" -e "s/' EXIT\$//")
  trap 'stop_postgres; eval "$postgres_trap"' EXIT
  chmod 700 "$postgres_folder"
  if [ "$(id -u)" = 0 ]; then chown postgres "$postgres_folder" || return 1; fi
  as_postgres "$postgres_bin/initdb" -D "$postgres_folder/data" -U postgres --auth=trust \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$postgres_folder/log" 2>&1 || return 1
  # One role has to give a password, for the tests of logins.
  { echo "local all strata_password scram-sha-256"; cat "$postgres_folder/data/pg_hba.conf"; } \
    >"$postgres_folder/hba" && cat "$postgres_folder/hba" >"$postgres_folder/data/pg_hba.conf" \
    || return 1
  as_postgres "$postgres_bin/pg_ctl" start -w -D "$postgres_folder/data" \
    -l "$postgres_folder/data/log" -o "-c listen_addresses='' -c fsync=${postgres_fsync:-off} \
    -c max_connections=400 -c unix_socket_directories='$postgres_folder' ${postgres_settings:-}" \
    >/dev/null 2>&1 \
    || return 1
  export STRATA_POSTGRES="postgres://postgres@/postgres?host=$postgres_folder"
  [ "${STRATA_POSTGRES_HOSTILE:-}" != 1 ] || start_hostile || return 1
}

# Makes the hostile database, and has the tests run in it as another role.
start_hostile() {
  local psql=(psql -X -q -v ON_ERROR_STOP=1 -h "$postgres_folder" -U postgres)
  "${psql[@]}" -d postgres -c "CREATE ROLE strata_store SUPERUSER LOGIN" \
    -c "CREATE DATABASE hostile OWNER strata_store" || return 1
  "${psql[@]}" -d hostile -f Scripts/hostile.sql || return 1
  export STRATA_POSTGRES="postgres://strata_store@/hostile?host=$postgres_folder"
}

# Prints the number of calls of what the other role has put into the hostile database.
hostile_calls() {
  psql -X -q -A -t -h "$postgres_folder" -U postgres -d hostile \
    -c "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.hostile_calls"
}

if [ -z "${STRATA_POSTGRES:-}" ]; then
  start_postgres || {
    stop_postgres
    [ -n "${postgres_as_found:-}" ] \
      || echo "no PostgreSQL server can be started: the tests of PostgresBackend are skipped"
  }
fi
if [ -n "${STRATA_POSTGRES:-}" ] && [ -z "${postgres_as_found:-}" ]; then
  install_pooler || echo "pgbouncer cannot be installed: the tests of poolers are skipped"
fi
