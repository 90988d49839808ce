<?php

// Finds the kit and what it is tested with: from Composer, or where a system keeps PHP's libraries.

declare(strict_types=1);

$composer = __DIR__ . '/../vendor/autoload.php';
if (is_file($composer)) {
    require $composer;
    return;
}
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Baton\\Kit\\')) {
        require __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, strlen('Baton\\Kit\\'))) . '.php';
    }
});
foreach (['GuzzleHttp/Psr7', 'Symfony/Component/HttpFoundation'] as $library) {
    require_once "/usr/share/php/$library/autoload.php";
}
if (!interface_exists(Psr\Http\Server\MiddlewareInterface::class)) {
    require __DIR__ . '/psr15.php';
}
