<?php

// The test's shop on Laravel's request, router and redirects (illuminate/http and illuminate/routing, without a whole application)
// with Baton's kit. Its routes are those of tests/kits/support/story.mjs.
//
// ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.

declare(strict_types=1);

use Baton\Kit\Checker;
use Baton\Kit\FenceGuard;
use Baton\Kit\Laravel\ThroughBaton;
use Baton\Kit\NoLease;
use Baton\Kit\Say;
use Baton\Kit\StaleFence;
use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Pipeline\Pipeline;
use Illuminate\Routing\Redirector;
use Illuminate\Routing\Router;
use Illuminate\Routing\UrlGenerator;

require __DIR__ . '/../../../kits/php/tests/bootstrap.php';
foreach (['Container', 'Events', 'Http', 'Pipeline', 'Routing'] as $part) {
    require_once "/usr/share/php/Illuminate/$part/autoload.php";
}

$secret = getenv('ORIGIN_SECRET');
$database = new PDO('sqlite:' . getenv('SHOP_DATABASE'), options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$database->exec(FenceGuard::SCHEMA);
$container = new Container();
$router = new Router(new Dispatcher($container), $container);
session_start();

$router->post('/buy/login', static function (Request $request) use ($router) {
    $_SESSION['name'] = $request->input('name');
    return new Response('', 302, ['Location' => (new UrlGenerator($router->getRoutes(), $request))->to('/buy') . '/']);
});
$router->post('/buy/seat', static function (Request $request) use ($database) {
    $database->beginTransaction();
    try {
        (new FenceGuard($database))->hold($request->attributes->get('baton'), "seat:{$request->input('seat')}");
        $database->commit();
        return new JsonResponse(['seat' => $request->input('seat')]);
    } catch (StaleFence | NoLease $refused) {
        $database->rollBack();
        return new JsonResponse(['refused' => $refused::class], 409);
    }
});
$router->post('/buy/upload', static function (Request $request) {
    $bytes = $request->file('ticket')->getContent();
    return new JsonResponse(['bytes' => strlen($bytes), 'sha256' => hash('sha256', $bytes)]);
});
$router->get('/buy/more', static fn () => (new JsonResponse(['more' => true]))->header(...Say::extend(60))->header(...Say::stock($secret, 'onsale', 1_200)));
$router->post('/buy/paid', static fn (Request $request) => (new Redirector(new UrlGenerator($router->getRoutes(), $request)))->to('/buy/thanks', 303));
$router->post('/buy/done', static fn () => (new JsonResponse(['done' => true]))->header(...Say::release()));
$router->any('/{any?}', static function (Request $request) {
    $visit = $request->attributes->get('baton');
    return new JsonResponse([
        'csrf' => '',
        'absolute' => $request->getSchemeAndHttpHost() . '/buy/seat',
        'name' => $_SESSION['name'] ?? null,
        'path' => $request->getPathInfo(),
        'visit' => $visit ? ['room' => $visit->room, 'ticket' => $visit->ticket, 'fence' => $visit->fence] : null,
    ]);
})->where('any', '.*');

// What stands in for Laravel's CSRF middleware, which needs a whole application: a form comes from the shop's own pages.
$fromOwnPages = static function (Request $request, Closure $next) {
    $isOurs = !$request->isMethod('POST') || $request->is('buy/paid') || $request->headers->get('Origin') === $request->getSchemeAndHttpHost();
    return $isOurs ? $next($request) : new Response('', 403);
};
$gate = new ThroughBaton(new Checker($secret, explode(',', getenv('BATON_HOSTS')), getenv('BATON_MODE')));
// As Laravel's kernel does: routes are given this very request.
$container->instance(Request::class, $request = Request::capture());
(new Pipeline($container))->send($request)->through([$gate, $fromOwnPages])->then(static fn (Request $request) => $router->dispatch($request))->send();
