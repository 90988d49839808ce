<?php

// A checkout of two pages on plain PSR-15, as public/index.php of a shop (docs/stacks/psr15.md).

use Baton\Kit\{Checker, FenceGuard, Say, StaleFence, ThroughBaton};
use GuzzleHttp\Psr7\{HttpFactory, Response, ServerRequest};
use Psr\Http\Message\{ResponseInterface, ServerRequestInterface};
use Psr\Http\Server\RequestHandlerInterface;

require __DIR__ . '/../vendor/autoload.php';

final class Shop implements RequestHandlerInterface
{
    public function __construct(private PDO $database)
    {
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return match ("{$request->getMethod()} {$request->getUri()->getPath()}") {
            'GET /buy/' => new Response(200, [], '<form method="post"><button name="seat" value="4-12">Seat 4-12</button></form>'),
            'POST /buy/' => $this->reserve($request, $request->getParsedBody()['seat'] ?? ''),
            'GET /buy/done' => (new Response(200, [], 'Thank you.'))->withHeader(...Say::release()),
            default => new Response(404, [], 'There is no such page.'),
        };
    }

    private function reserve(ServerRequestInterface $request, string $seat): ResponseInterface
    {
        $this->database->beginTransaction();
        try {
            (new FenceGuard($this->database))->hold($request->getAttribute('baton'), "seat:$seat");
            // your own reservation, in the same transaction
            $this->database->commit();
        } catch (StaleFence) {
            $this->database->rollBack();
            return new Response(409, [], 'This tab is out of date. Please look at your seats anew.');
        }
        return new Response(302, ['Location' => (string) $request->getUri()->withPath('/buy/done')]);
    }
}

$database = new PDO('sqlite:' . __DIR__ . '/../shop.sqlite3', options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$database->exec(FenceGuard::SCHEMA);
$checker = new Checker(
    secret: (string) getenv('ORIGIN_SECRET'),
    hosts: explode(',', (string) getenv('BATON_HOSTS')),
    mode: getenv('BATON_MODE') ?: 'report',
);
$answer = (new ThroughBaton($checker, new HttpFactory()))->process(ServerRequest::fromGlobals(), new Shop($database));
http_response_code($answer->getStatusCode());
foreach ($answer->getHeaders() as $name => $values) {
    foreach ($values as $value) {
        header("$name: $value", false);
    }
}
echo $answer->getBody();
