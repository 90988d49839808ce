<?php

// A front controller that reads its target by parse_url: after two slashes it takes the first segment for a host.

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_string($path)) {
    echo base64_encode(rawurldecode($path));
} else {
    http_response_code(400);
}
