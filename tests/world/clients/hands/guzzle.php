<?php
// Guzzle: asks what each line of the input says, `METHOD URL`. The first argument is `alone`, `kept` (with what keeps the place) or `waits`.

require 'GuzzleHttp/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;

$options = ['http_errors' => false, 'cookies' => $argv[1] === 'kept'];
if ($argv[1] === 'waits') {
    $options['handler'] = HandlerStack::create();
    $options['handler']->push(Middleware::retry(fn($tries, $request, $answer) => $tries < 9 && $answer?->getStatusCode() === 429));
}
$client = new Client($options);
while ($line = fgets(STDIN)) {
    [$method, $url] = explode(' ', trim($line));
    echo $client->request($method, $url)->getStatusCode(), "\n";
}
