#!/usr/bin/env bash
# Takes Baton's kit into the Composer project in the current folder, in which what Debian packages (php-guzzlehttp-psr7) counts as
# installed, for machines that do not reach Composer's registry: there `composer require baton/kit:@dev guzzlehttp/psr7` does this.
set -euo pipefail
from=$(dirname "$0")
cp "$from/composer.json" "$from/system.php" "$from/../../../../kits/php/tests/psr15.php" .
composer config repositories.baton path ../baton/kits/php
composer require baton/kit:@dev
