"""aiohttp: asks what each line of the input says, `METHOD URL`. A session keeps cookies by itself."""

import asyncio
import sys

import aiohttp


async def main():
    async with aiohttp.ClientSession() as client:
        for line in sys.stdin:
            method, url = line.split()
            async with client.request(method, url) as answer:
                print(answer.status, flush=True)


asyncio.run(main())
