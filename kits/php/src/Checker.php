<?php

declare(strict_types=1);

namespace Baton\Kit;

use Closure;
use InvalidArgumentException;
use Throwable;

/**
 * Tells whether a request came through Baton: the check of `Baton-Proof`, without any framework.
 *
 * The order of the steps matters. The MAC is verified first, over `Baton-Target` as Baton sent it; only then is the target
 * compared with the request's own path and query, as they are when decoded. docs/protocol.md of Baton has the form.
 */
final class Checker
{
    /** How far a proof's time may be from this machine's clock. */
    public const SKEW_MAX_MS = 60_000;

    /** Why a request is refused, each with what to do about it. The keys are the words in `Baton-Checked`. */
    public const REASONS = [
        'missing' => 'Baton-Proof or Baton-Target is missing: the request did not come through Baton, or Baton has no ORIGIN_SECRET',
        'malformed' => 'Baton-Proof is not of the form v1;t=…;n=…;mac=…: a proxy changed it, or somebody made it up',
        'host' => "neither X-Forwarded-Host nor Host is one of the public hosts: add the visitors' host to the kit's hosts",
        'mac' => "the proof is not of this request: compare the secret with Baton's ORIGIN_SECRET, and look for a proxy that changes the method or headers",
        'time' => "the proof is more than a minute off: set this machine's clock by NTP",
        'target' => "path, query or mount point are not those that Baton sent: look for a proxy that rewrites addresses, and for a header that names a mount point; if the shop is mounted below a path, set the kit's mount",
        'replay' => 'the proof was taken before, or the replay store could not tell',
        'room' => "the path is another room's by the kit's rooms: compare them with the paths in Baton's configuration. A preflight has no room: see answersPreflights",
    ];

    private const SHAPE = '/\Av1;t=(0|[1-9][0-9]{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})\z/';

    /** @var list<string> */
    private array $hosts;
    private Closure $log;
    private Closure $nowMs;

    /**
     * @param string $secret Baton's ORIGIN_SECRET
     * @param list<string> $hosts the public hosts, with port if any, under which visitors reach Baton
     * @param string $mode `report` lets everything through and logs what would be refused; `enforce` refuses it
     * @param array<string, list<string>> $rooms rooms by the beginning of a path; the longest beginning counts
     * @param ?Store $store remembers proofs, and each then counts once. PHP itself forgets everything with each request
     * @param ?Closure $log called with a line for each request that is, or would be, refused
     * @param ?Closure $nowMs the clock
     * @param string $mount the path below which the server mounts the shop; `/index.php` before a path is a mount point too, and another one
     * @param bool $answersPreflights the shop answers preflights before a page runs, as Laravel's HandleCors does: they go on without a room.
     *     Otherwise they are refused on a path of $rooms, for a page that does not look at the method would run for them
     * @param list<string> $health paths that the platform's own health check asks without Baton, by GET or HEAD; what they show, everybody sees
     */
    public function __construct(private string $secret, array $hosts, private string $mode = 'report', private array $rooms = [], private ?Store $store = null, ?Closure $log = null, ?Closure $nowMs = null, private string $mount = '', private bool $answersPreflights = false, private array $health = [])
    {
        if ($secret === '') {
            throw new InvalidArgumentException("Baton's secret is empty: without it nobody can be told from anybody else. Set it to Baton's ORIGIN_SECRET");
        }
        if ($mode !== 'report' && $mode !== 'enforce') {
            throw new InvalidArgumentException("Baton's mode '$mode' is unknown; set it to 'report' or 'enforce'");
        }
        foreach ($this->health as $path) {
            if (!is_string($path) || !str_starts_with($path, '/')) {
                throw new InvalidArgumentException("Baton's health is no list of paths; write it as in ['/healthz']");
            }
        }
        $this->hosts = self::checkedHosts($hosts);
        $this->rooms = array_combine(array_map(self::folded(...), array_map('strval', array_keys($this->rooms))), $this->rooms);
        uksort($this->rooms, static fn ($a, $b) => strlen((string) $b) <=> strlen((string) $a));
        $this->log = $log ?? static fn (string $line) => error_log($line);
        $this->nowMs = $nowMs ?? static fn () => (int) floor(microtime(true) * 1000);
    }

    /**
     * Checks one request and logs what is refused. Never throws: a store that fails refuses the request.
     *
     * @param string $path the whole path as it arrived, escapes included
     * @param string $query the raw query without `?`
     * @param callable(string): ?string $header gives a header by its lower-case name; null or '' where there is none
     * @param ?string $mount the mount point as the server or framework gave it; null: there is none to look at
     */
    public function check(string $method, string $path, string $query, callable $header, ?string $mount = null): Verdict
    {
        if (in_array($path, $this->health, true) && in_array($method, ['GET', 'HEAD'], true) && (string) $header('baton-proof') === '') {
            return new Verdict(null, null, false);
        }
        $path = rawurldecode($path);
        $found = $this->judge($method, $path, $query, $header, $mount);
        if ($found instanceof Visit) {
            return new Verdict($found, null, false);
        }
        $verb = $this->mode === 'enforce' ? 'refused' : 'would refuse';
        $shown = json_encode($path, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE);
        ($this->log)("baton: $verb $method $shown ($found): " . self::REASONS[$found]);
        return new Verdict(null, $found, $this->mode === 'enforce');
    }

    /** The visit, or one of REASONS. */
    private function judge(string $method, string $path, string $query, callable $header, ?string $mount): Visit|string
    {
        $proof = (string) $header('baton-proof');
        $target = (string) $header('baton-target');
        if ($proof === '' || $target === '') {
            return 'missing';
        }
        if (!preg_match(self::SHAPE, $proof, $parts)) {
            return 'malformed';
        }
        [, $t, $nonce, $mac] = $parts;
        $room = (string) $header('baton-room');
        $fence = (string) $header('baton-fence');
        $fence = $fence === '' ? '0' : $fence;
        $hosts = $this->namedHosts($header);
        if ($hosts === []) {
            return 'host';
        }
        $lines = static fn (string $host) => ['baton-proof-v1', $t, $nonce, $method, $host, $target, $room, $fence];
        $signed = array_filter($hosts, fn (string $host) => hash_equals(hash_hmac('sha256', implode("\n", $lines($host)), $this->secret), $mac));
        if ($signed === []) {
            return 'mac';
        }
        $now = ($this->nowMs)();
        if (abs($now - (int) $t) > self::SKEW_MAX_MS) {
            return 'time';
        }
        [$signedPath, $signedQuery] = explode('?', $target, 2) + [1 => ''];
        if (rawurldecode($signedPath) !== $path || $signedQuery !== $query) {
            return 'target';
        }
        if ($mount !== null && rtrim($mount, '/') !== rtrim($this->mount, '/')) {
            return 'target';
        }
        return $this->take("$t:$nonce", $now) ?? $this->expect($room, $method, $path) ?? Visit::of(reset($signed), $room, $fence, $header, $this->mode === 'enforce');
    }

    /**
     * The shop's own hosts that the request names. Who sends it chooses among those only.
     *
     * @return list<string>
     */
    private function namedHosts(callable $header): array
    {
        $named = [...explode(',', (string) $header('x-forwarded-host')), (string) $header('host')];
        return array_values(array_intersect(array_map(static fn (string $name) => strtolower(trim($name)), $named), $this->hosts));
    }

    private function take(string $key, int $now): ?string
    {
        if ($this->store === null) {
            return null;
        }
        try {
            // A proof may be a minute ahead, and then lives for another minute.
            $untilMs = $now + 2 * self::SKEW_MAX_MS;
            if (!$this->store->take($key, $now, $untilMs)) {
                return 'replay';
            }
            // One in a thousand, as PHP forgets with each request that it has tried: a store that remembers nothing calls each replay the first.
            if ($now % 1_000 === 0 && $this->store->take($key, $now, $untilMs)) {
                ($this->log)("baton: the replay store remembers nothing: name one that all processes share, or take it out of the kit's settings");
            }
            return null;
        } catch (Throwable $error) {
            ($this->log)("baton: the replay store failed; see to it, or take it out of the kit's settings: " . $error->getMessage());
            return 'replay';
        }
    }

    private function expect(string $room, string $method, string $path): ?string
    {
        // A preflight carries no cookies, so it has no room.
        if ($method === 'OPTIONS' && $room === '' && $this->answersPreflights) {
            return null;
        }
        foreach (self::readings($path) as $reading) {
            $text = self::folded($reading);
            foreach ($this->rooms as $beginning => $names) {
                if (str_starts_with($text, (string) $beginning)) {
                    if (!in_array($room, $names, true)) {
                        return 'room';
                    }
                    break;
                }
            }
        }
        return null;
    }

    /**
     * A path with upper case and lower case alike, as Baton takes them, and with it routers that do not tell them apart: by way of upper case.
     * Without ext-mbstring only in ASCII.
     */
    private static function folded(string $path): string
    {
        $cases = function_exists('mb_convert_case') ? [MB_CASE_LOWER, MB_CASE_UPPER, MB_CASE_LOWER] : [];
        $text = array_reduce($cases, static fn (string $text, int $case) => mb_convert_case($text, $case, 'UTF-8'), $cases ? $path : strtolower($path));
        return str_replace("i\u{307}", 'i', $text);
    }

    /**
     * A path as a shop may read it. One that begins with several slashes is to some the same with one, and to some, `parse_url` among them, what
     * stands behind its first segment, which they take for a host.
     *
     * @return list<string>
     */
    private static function readings(string $path): array
    {
        if (!preg_match('~\A[/\\\\]{2,}(.*)\z~s', $path, $parts)) {
            return [$path];
        }
        return [$path, "/$parts[1]", preg_replace('~\A[^/\\\\]*[/\\\\]*~', '/', $parts[1])];
    }

    /** @return list<string> */
    private static function checkedHosts(array $hosts): array
    {
        if ($hosts === []) {
            throw new InvalidArgumentException("Baton's hosts are empty; name the hosts under which visitors reach Baton, as in ['tickets.example.com']");
        }
        foreach ($hosts as $host) {
            if (!is_string($host) || $host === '' || strpbrk($host, '/,') !== false) {
                throw new InvalidArgumentException("Baton's host " . json_encode($host, JSON_UNESCAPED_SLASHES) . " is no host; write it as visitors' browsers send it, as in 'tickets.example.com'");
            }
        }
        return array_values(array_map('strtolower', $hosts));
    }
}
