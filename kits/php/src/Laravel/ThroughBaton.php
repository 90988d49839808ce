<?php

declare(strict_types=1);

namespace Baton\Kit\Laravel;

use Baton\Kit\Checker;
use Baton\Kit\Visit;
use Closure;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Baton's check as Laravel's middleware. Put it first in the global list.
 *
 * Routes find the `Visit`, or null, in `$request->attributes->get('baton')`. After the proof was found right, host and scheme are the
 * visitor's: `url()`, redirects, secure cookies. Leave TrustProxies without proxies; it believes everybody that it trusts.
 */
final class ThroughBaton
{
    public function __construct(private Checker $checker)
    {
    }

    public function handle(Request $request, Closure $next): Response
    {
        // What the server gave, and not what Symfony makes of it.
        $path = explode('?', (string) $request->server->get('REQUEST_URI'), 2)[0];
        $query = (string) $request->server->get('QUERY_STRING');
        $verdict = $this->checker->check($request->getRealMethod(), $path, $query, static fn (string $name) => $request->headers->get($name), $request->getBaseUrl());
        $request->attributes->set('baton', $verdict->visit);
        if ($verdict->visit !== null) {
            self::believe($request, $verdict->visit);
        }
        $response = $verdict->refused
            ? new Response($verdict->refusal(), 403, ['Content-Type' => 'text/plain; charset=utf-8', 'Cache-Control' => 'no-store'])
            : $next($request);
        $response->headers->set('Baton-Checked', $verdict->checked());
        return $response;
    }

    /** From here on the request is one to the visitors' host. */
    private static function believe(Request $request, Visit $visit): void
    {
        $isSecure = $visit->scheme === 'https';
        $request->headers->set('Host', $visit->host);
        $request->headers->set('X-Forwarded-Host', $visit->host);
        $request->server->set('HTTP_HOST', $visit->host);
        $request->server->set('HTTPS', $isSecure ? 'on' : 'off');
        $request->server->set('SERVER_PORT', explode(':', $visit->host, 2)[1] ?? ($isSecure ? 443 : 80));
    }
}
