#!/usr/bin/env bash
# A MariaDB sequence jumps to the next thousand at each FLUSH TABLES and each clean restart, AUTO_INCREMENT does not.
#
# Guessed:  only a crash loses the numbers that a sequence keeps ready (CACHE, 1,000 unless said); a server that is shut down in order writes back
#           how far it came.
# Happens:  a clean shutdown loses them too, and so does FLUSH TABLES, which backup programs send. A dump without it does not.
# Matters:  tickets numbered by a sequence leave a hole of up to a thousand after a nightly backup: "1,002nd in line" behind the second. Use
#           AUTO_INCREMENT or `NOCACHE`, and count people ahead instead of subtracting numbers.
# Versions: Debian's mariadb-server 10.11.19 (required).
# Seen on 2026-11-27:
#   10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)
#   the first: sequence 1, AUTO_INCREMENT 1
#   the second: sequence 2, AUTO_INCREMENT 2
#   after a dump: sequence 3, AUTO_INCREMENT 3
#   after FLUSH TABLES: sequence 1001, AUTO_INCREMENT 4
#   after a clean restart: sequence 2001, AUTO_INCREMENT 5
set -euo pipefail
folder=$(mktemp -d); chmod 755 "$folder"; cd "$folder"
db() { mariadb --no-defaults --socket "$folder/data/socket" --user root --skip-column-names --batch "$@"; }
stop() { mariadb-admin --no-defaults --socket "$folder/data/socket" --user root shutdown 2>/dev/null || true; wait; }
trap 'stop; rm -rf "$folder"' EXIT
command -v mariadbd > /dev/null || { echo "This needs Debian's package mariadb-server."; exit 2; }
user=$(id -un); [ "$user" != root ] || user=mysql
install -d -o "$user" data
start() {
  mariadbd --no-defaults --datadir "$folder/data" --user "$user" --socket "$folder/data/socket" --pid-file "$folder/data/pid" --skip-networking > log 2>&1 &
  until db -e 'SELECT 1' > /dev/null 2>&1; do kill -0 $! && sleep 0.2; done
}
mariadb-install-db --no-defaults --datadir="$folder/data" --user="$user" --auth-root-authentication-method=normal > log 2>&1
start
mariadbd --version | sed 's/.*Ver //'

db -e 'CREATE DATABASE shop; CREATE SEQUENCE shop.tickets; CREATE TABLE shop.line (n INT AUTO_INCREMENT PRIMARY KEY)'
next() { echo "$1: sequence $(db -e 'SELECT NEXTVAL(shop.tickets)'), AUTO_INCREMENT $(db -e 'INSERT INTO shop.line VALUES (NULL); SELECT LAST_INSERT_ID()')"; }
{
  next "the first"
  next "the second"
  mariadb-dump --no-defaults --socket "$folder/data/socket" --user root shop > dump
  next "after a dump"
  db -e 'FLUSH TABLES'
  next "after FLUSH TABLES"
  stop; start
  next "after a clean restart"
} > seen
cat seen
diff seen - <<'EXPECTED'
the first: sequence 1, AUTO_INCREMENT 1
the second: sequence 2, AUTO_INCREMENT 2
after a dump: sequence 3, AUTO_INCREMENT 3
after FLUSH TABLES: sequence 1001, AUTO_INCREMENT 4
after a clean restart: sequence 2001, AUTO_INCREMENT 5
EXPECTED
