# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""A plugin of pytest's: a line of TAP for each test, in the file that PMCGRP_TAP names."""

import os


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("/")[2]
    if report.failed:
        line = f"not ok - {name} ({report.when})"
    elif report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.wasxfail
        line = f"ok - {name} # SKIP {reason.removeprefix('Skipped: ')}"
    elif report.when == "call":
        line = f"ok - {name}"
    else:
        return
    with open(os.environ["PMCGRP_TAP"], "a", encoding="utf-8") as out:
        print(line.replace("\n", " "), file=out)
        if report.failed:
            for text in str(report.longrepr).splitlines()[-30:]:
                print("#", text, file=out)
