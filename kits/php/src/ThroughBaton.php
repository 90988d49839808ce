<?php

declare(strict_types=1);

namespace Baton\Kit;

use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/**
 * Baton's check as PSR-15 middleware. Put it first, outside everything else.
 *
 * The application finds the `Visit`, or null, in the request's attribute `baton`. After the proof was found right, the request's
 * URI and `Host` are the visitor's, so absolute URLs lead back through Baton.
 */
final class ThroughBaton implements MiddlewareInterface
{
    public function __construct(private Checker $checker, private ResponseFactoryInterface $responses)
    {
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $uri = $request->getUri();
        // PSR-7 writes some queries anew; the server has the one that arrived.
        $query = (string) ($request->getServerParams()['QUERY_STRING'] ?? $uri->getQuery());
        $verdict = $this->checker->check($request->getMethod(), $uri->getPath(), $query, static fn (string $name) => $request->getHeaderLine($name));
        if ($verdict->refused) {
            $response = $this->responses->createResponse(403)->withHeader('Content-Type', 'text/plain; charset=utf-8')->withHeader('Cache-Control', 'no-store');
            if ($request->getMethod() !== 'HEAD') {
                $response->getBody()->write($verdict->refusal());
            }
            return $response->withHeader('Baton-Checked', $verdict->checked());
        }
        $request = $request->withAttribute('baton', $verdict->visit);
        if ($verdict->visit !== null) {
            $request = self::believed($request, $verdict->visit);
        }
        return $handler->handle($request)->withHeader('Baton-Checked', $verdict->checked());
    }

    /** From here on the request is one to the visitors' host. */
    private static function believed(ServerRequestInterface $request, Visit $visit): ServerRequestInterface
    {
        [$host, $port] = explode(':', $visit->host, 2) + [1 => null];
        $uri = $request->getUri()->withScheme($visit->scheme)->withHost($host)->withPort($port === null ? null : (int) $port);
        return $request->withUri($uri)->withHeader('Host', $visit->host)->withHeader('X-Forwarded-Host', $visit->host);
    }
}
