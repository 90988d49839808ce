<?php

// Debian's Laravel, from PHP's include path. It predates PHP 8.2, which calls some of it deprecated.
error_reporting(E_ALL & ~E_DEPRECATED);
require_once 'Illuminate/autoload.php';
