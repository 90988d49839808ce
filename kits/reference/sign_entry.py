# Signs an entry token for a customer and prints the link (docs/entry.md): ENTRY_KEY is the shop's key, AUDIENCE the room and host,
# such as onsale@tickets.example.com, PAGE the gated address.

import base64, hashlib, hmac, json, os, sys, time

def part(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()

claims = {"sub": sys.argv[1], "aud": os.environ["AUDIENCE"], "exp": int(time.time()) + 3600}
signed = part({"alg": "HS256", "kid": "2027-a"}) + "." + part(claims)
mac = hmac.new(os.environ["ENTRY_KEY"].encode(), signed.encode(), hashlib.sha256).digest()
print(f"{os.environ['PAGE']}?baton_entry={signed}.{part(mac)}")
