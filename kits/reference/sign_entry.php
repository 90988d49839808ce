<?php
// Signs an entry token for a customer and prints the link (docs/entry.md): ENTRY_KEY is the shop's key, AUDIENCE the room and host,
// such as onsale@tickets.example.com, PAGE the gated address.
$part = fn(string $text) => rtrim(strtr(base64_encode($text), '+/', '-_'), '=');
$claims = ['sub' => $argv[1], 'aud' => getenv('AUDIENCE'), 'exp' => time() + 3600];
$signed = $part(json_encode(['alg' => 'HS256', 'kid' => '2027-a'])) . '.' . $part(json_encode($claims));
$mac = hash_hmac('sha256', $signed, getenv('ENTRY_KEY'), true);
echo getenv('PAGE') . "?baton_entry=$signed." . $part($mac) . "\n";
