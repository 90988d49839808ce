<?php

// Debian's PSR-7, from PHP's include path, and the interfaces of PSR-15, which Debian does not package.
require_once 'GuzzleHttp/Psr7/autoload.php';
require_once __DIR__ . '/psr15.php';
