<?php

// The test's shop on PSR-15 with Baton's kit, for `php -S` and FPM. Its routes are those of tests/kits/support/story.mjs.
//
// ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.

declare(strict_types=1);

use Baton\Kit\Checker;
use Baton\Kit\FenceGuard;
use Baton\Kit\NoLease;
use Baton\Kit\Say;
use Baton\Kit\StaleFence;
use Baton\Kit\ThroughBaton;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\ServerRequest;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

require __DIR__ . '/../../../kits/php/tests/bootstrap.php';

final class Shop implements RequestHandlerInterface
{
    public function __construct(private string $secret, private PDO $database)
    {
        $database->exec(FenceGuard::SCHEMA);
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        $form = (array) $request->getParsedBody();
        $path = $request->getUri()->getPath();
        // What stands in for a CSRF library: a form comes from the shop's own pages.
        if ($request->getMethod() === 'POST' && $path !== '/buy/paid' && $request->getHeaderLine('Origin') !== self::here($request)) {
            return new Response(403);
        }
        return match ("{$request->getMethod()} $path") {
            'POST /buy/login' => $this->login($request, $form['name']),
            'POST /buy/seat' => $this->seat($request, $form['seat']),
            'POST /buy/upload' => self::upload((string) $request->getUploadedFiles()['ticket']->getStream()),
            'GET /buy/more' => self::json(['more' => true])->withHeader(...Say::extend(60))->withHeader(...Say::stock($this->secret, 'onsale', 1_200)),
            'POST /buy/paid' => new Response(303, ['Location' => '/buy/thanks']),
            'POST /buy/done' => self::json(['done' => true])->withHeader(...Say::release()),
            default => $this->front($request),
        };
    }

    private static function here(ServerRequestInterface $request): string
    {
        return "{$request->getUri()->getScheme()}://{$request->getUri()->getAuthority()}";
    }

    private static function json(mixed $value, int $status = 200): ResponseInterface
    {
        return new Response($status, ['Content-Type' => 'application/json'], json_encode($value));
    }

    private function login(ServerRequestInterface $request, string $name): ResponseInterface
    {
        session_start();
        $_SESSION['name'] = $name;
        return new Response(302, ['Location' => self::here($request) . '/buy/']);
    }

    private function seat(ServerRequestInterface $request, string $seat): ResponseInterface
    {
        $this->database->beginTransaction();
        try {
            (new FenceGuard($this->database))->hold($request->getAttribute('baton'), "seat:$seat");
            $this->database->commit();
            return self::json(['seat' => $seat]);
        } catch (StaleFence | NoLease $refused) {
            $this->database->rollBack();
            return self::json(['refused' => $refused::class], 409);
        }
    }

    private static function upload(string $bytes): ResponseInterface
    {
        return self::json(['bytes' => strlen($bytes), 'sha256' => hash('sha256', $bytes)]);
    }

    private function front(ServerRequestInterface $request): ResponseInterface
    {
        session_start();
        $visit = $request->getAttribute('baton');
        return self::json([
            'csrf' => '',
            'absolute' => self::here($request) . '/buy/seat',
            'name' => $_SESSION['name'] ?? null,
            'path' => $request->getUri()->getPath(),
            'visit' => $visit ? ['room' => $visit->room, 'ticket' => $visit->ticket, 'fence' => $visit->fence] : null,
        ]);
    }
}

$secret = getenv('ORIGIN_SECRET');
$database = new PDO('sqlite:' . getenv('SHOP_DATABASE'), options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$checker = new Checker($secret, explode(',', getenv('BATON_HOSTS')), getenv('BATON_MODE'));
$response = (new ThroughBaton($checker, new HttpFactory()))->process(ServerRequest::fromGlobals(), new Shop($secret, $database));
http_response_code($response->getStatusCode());
foreach ($response->getHeaders() as $name => $values) {
    header("$name: " . implode(', ', $values), $name !== 'Set-Cookie');
}
echo $response->getBody();
