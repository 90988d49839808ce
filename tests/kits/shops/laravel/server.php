<?php

// What `artisan serve` hands each request to.
require __DIR__ . '/public/index.php';
