<?php

declare(strict_types=1);

namespace Baton\Kit\Tests;

use Baton\Kit\Checker;
use Baton\Kit\Laravel;
use Baton\Kit\Say;
use Baton\Kit\ThroughBaton;
use Baton\Kit\Visit;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\ServerRequest;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;
use Symfony\Component\HttpFoundation;

require_once __DIR__ . '/Table.php';

/** Every request of the shared table, by the checker alone, as PSR-15 middleware and as Laravel's. */
final class VectorsTest extends TestCase
{
    public function cases(): iterable
    {
        foreach (['byHand', 'byPsr15', 'byLaravel'] as $way) {
            foreach (['enforce', 'report'] as $mode) {
                foreach (Table::all()['requests'] as $case) {
                    yield "$way $mode {$case['name']}" => [$way, $mode, $case];
                }
            }
        }
    }

    /** @dataProvider cases */
    public function testTheTable(string $way, string $mode, array $case): void
    {
        $checker = Table::checkerOf($case, $mode);
        foreach ($case['says'] as $word) {
            [$status, $checked, $visit] = $this->$way($checker, $case);
            self::assertSame($word === 'ok' ? 'ok' : "no;$word", $checked);
            self::assertSame($word === 'ok' || $mode === 'report' ? 200 : 403, $status);
            $expected = $word === 'ok' ? $case['visit'] : null;
            self::assertSame($expected, $visit === null ? null : array_intersect_key(get_object_vars($visit), $case['visit'] ?? []));
        }
    }

    public function testStock(): void
    {
        foreach (Table::all()['stock'] as $case) {
            self::assertSame(['Baton-Stock', $case['header']], Say::stock(Table::all()['secret'], $case['room'], $case['left'], $case['at_ms']));
        }
    }

    private function byHand(Checker $checker, array $case): array
    {
        [$path, $query] = Table::target($case);
        $verdict = $checker->check($case['method'], $path, $query, static fn (string $name) => $case['headers'][$name] ?? null);
        return [$verdict->refused ? 403 : 200, $verdict->checked(), $verdict->visit];
    }

    private function byPsr15(Checker $checker, array $case): array
    {
        $shop = new class () implements RequestHandlerInterface {
            public ?ServerRequestInterface $seen = null;

            public function handle(ServerRequestInterface $request): ResponseInterface
            {
                $this->seen = $request;
                return new Response(200);
            }
        };
        [, $query] = Table::target($case);
        $request = new ServerRequest($case['method'], "http://shop.internal:8000{$case['url']}", $case['headers'], null, '1.1', ['QUERY_STRING' => $query]);
        $response = (new ThroughBaton($checker, new HttpFactory()))->process($request, $shop);
        $visit = $shop->seen?->getAttribute('baton');
        if ($visit instanceof Visit) {
            self::assertSame("$visit->scheme://$visit->host", $shop->seen->getUri()->getScheme() . '://' . $shop->seen->getHeaderLine('Host'));
            self::assertSame($visit->host, $shop->seen->getUri()->getAuthority());
        }
        return [$response->getStatusCode(), $response->getHeaderLine('Baton-Checked'), $visit];
    }

    private function byLaravel(Checker $checker, array $case): array
    {
        [, $query] = Table::target($case);
        $server = ['REQUEST_METHOD' => $case['method'], 'REQUEST_URI' => $case['url'], 'QUERY_STRING' => $query];
        foreach ($case['headers'] as $name => $value) {
            $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
        }
        $request = new HttpFoundation\Request([], [], [], [], [], $server);
        $visit = null;
        $response = (new Laravel\ThroughBaton($checker))->handle($request, static function (HttpFoundation\Request $seen) use (&$visit) {
            $visit = $seen->attributes->get('baton');
            if ($visit !== null) {
                self::assertSame("$visit->scheme://$visit->host", $seen->getSchemeAndHttpHost());
            }
            return new HttpFoundation\Response('the shop');
        });
        return [$response->getStatusCode(), $response->headers->get('Baton-Checked'), $visit];
    }
}
