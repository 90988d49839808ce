#!/usr/bin/env bash
# Makes a fresh Laravel shop in the current folder of the Laravel that Debian packages (php-laravel-framework), for machines that
# do not reach Composer's registry: there `composer create-project laravel/laravel .` does this.
set -euo pipefail
cp -r "$(dirname "$0")/." .
rm make.sh
mkdir -p bootstrap/cache database/migrations storage/logs storage/framework/{cache,sessions,views}
touch database/database.sqlite
printf 'APP_ENV=local\nAPP_DEBUG=true\nAPP_KEY=base64:%s\n' "$(head -c 32 /dev/urandom | base64)" > .env
composer install --no-interaction
