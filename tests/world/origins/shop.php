<?php

// A front controller that finds its page by parse_url: `/buy` with all below it is the gated one.

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
echo is_string($path) && preg_match('#^/buy(/|$)#', rawurldecode($path)) ? 'buy' : 'other';
