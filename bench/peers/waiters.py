"""A thread for each who waits, since the recipes in Python block. Reads `["join", id]`, `["leave", id]` and `["gone", id]`, a line each, and writes
`["joined", id]` as the wait begins, `["called", id]` and `["left", id]`."""

import json
import sys
import threading

threading.stack_size(256 * 1024)
_write = threading.Lock()


def say(what, who=None):
    with _write:
        sys.stdout.write(json.dumps([what, who]) + "\n")
        sys.stdout.flush()


def serve(open_waiter):
    """Serves until standard input ends. `open_waiter(id)` has `acquire(gone)`, true once it has a permit, `release()` and, if it can, `cancel()`."""
    people, gone = {}, {}

    def wait(who):
        say("joined", who)
        try:
            if people[who].acquire(gone[who]):
                if gone[who].is_set():
                    people[who].release()
                else:
                    say("called", who)
        except Exception:
            pass  # The server is gone, and this front ends with it.

    def leave(who):
        try:
            (people.pop(who, None) or open_waiter(who)).release()
        except Exception:
            pass  # It was not held any more.
        say("left", who)

    say("ready")
    for line in sys.stdin:
        what, who = json.loads(line)
        if what == "join":
            people[who], gone[who] = open_waiter(who), threading.Event()
            threading.Thread(target=wait, args=(who,), daemon=True).start()
        elif what == "gone" and who in gone:
            gone[who].set()
            getattr(people.get(who), "cancel", lambda: None)()
        elif what == "leave":
            threading.Thread(target=leave, args=(who,), daemon=True).start()
