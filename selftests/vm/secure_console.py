# SPDX-License-Identifier: GPL-2.0-only
"""A guest whose serial line is read, and typed into: shim's MokManager has no other way to be told."""

import os
import re
import select
import subprocess
import time

DOWN, ENTER = b"\x1b[B", b"\r"
# Of terminals: colours, places.
CONTROL = re.compile(r"\x1b[\[(][0-9;=?]*[A-Za-z]")
COUNTDOWN = "Press any key to perform MOK management"
QUIET = 2                   # seconds without a word: the menu is drawn
KEY_PAUSE = 0.5             # between two keys


def menus(password):
    """What MokManager shows, one behind the other; what is typed then, once it is quiet: two keys are enrolled."""
    return [("Enroll MOK", [DOWN, ENTER]),
            ("View key 1", [DOWN, DOWN, ENTER]),
            ("Enroll the key", [DOWN, ENTER]),
            ("Password:", [*(bytes([c]) for c in password.encode()), ENTER]),
            ("Reboot", [ENTER])]


class Console:
    def __init__(self, command, log, limit):
        self.command, self.log, self.limit = command, log, limit
        self.said = ""

    def run(self, password):
        """Until the guest ends, or its time has; what it said, plain. With a password MokManager is told to enroll."""
        waits = menus(password) if password else []
        asked = not waits       # the countdown, which is never quiet, has been answered
        seen, heard = 0, time.monotonic()
        with open(self.log, "wb") as log, subprocess.Popen(
                ["timeout", "-k", "5", str(self.limit), *self.command], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as qemu:
            while True:
                if select.select([qemu.stdout], [], [], QUIET / 4)[0]:
                    data = os.read(qemu.stdout.fileno(), 65536)
                    if not data:
                        break
                    log.write(data)
                    log.flush()
                    self.said += CONTROL.sub("", data.decode(errors="replace")).replace("\r", "")
                    heard = time.monotonic()
                    if not asked and COUNTDOWN in self.said:
                        asked, seen = True, len(self.said)
                        self.type(qemu, [b" "])
                elif asked and waits and waits[0][0] in self.said[seen:] and time.monotonic() - heard > QUIET:
                    seen = len(self.said)
                    self.type(qemu, waits.pop(0)[1])
        return self.said

    @staticmethod
    def type(qemu, keys):
        for key in keys:
            qemu.stdin.write(key)
            qemu.stdin.flush()
            time.sleep(KEY_PAUSE)
