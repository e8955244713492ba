#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""export_readers.py PORT FOLDER TOOL|--text: in a Debian that has them, readers of what an exporter serves at
the port; FOLDER has the dashboard's queries, TOOL is a static one. --text: parsers alone. Prints results, which
export-test numbers."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain

ACCEPT = "application/openmetrics-text;version=1.0.0"
SAMPLES = 8             # scrapes that a reader has to have before it is asked
SECONDS = 60            # until it is given up
# What sums have to be, at each instant.
EXACT = ("sum(pmcgrp_service_cycles_total) + sum(pmcgrp_service_removed_cycles_total) - "
         "sum(pmcgrp_service_all_cycles_total)")
# So many seconds ago all samples of a scrape can be found, those of new series, too.
SETTLED = 8
PMDA = "/var/lib/pcp/pmdas/openmetrics"


def result(passed, name, seen=""):
    if not passed:
        print("\n".join(str(seen).splitlines()[-20:]))
    print(f"{'ok' if passed else 'not ok'} - {name}", flush=True)


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.read().decode()


def series(text):
    """All samples without a timestamp, by name and labels; the second of the same is a failure."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([a-z_]\w*(?:\{.*\})?) ([0-9.e+-]+)", line)
        if not match or match[1] in found:
            raise ValueError(line)
        found[match[1]] = float(match[2])
    return found


def check_text(url):
    text = get(url, Accept=ACCEPT)
    families = list(openmetrics(text))
    result(len(families) > 10, "the strict parser reads OpenMetrics", families)
    print(f"{len(families)} families, {sum(len(f.samples) for f in families)} samples by the strict parser")
    result(not any(s.timestamp or s.exemplar for f in families for s in f.samples),
           "there are no timestamps and no exemplars")
    names = list(series(text))
    totals = [i for i, name in enumerate(names) if "_total" in name]
    result(all(names[i + 1] == names[i].replace("_total", "_created") for i in totals),
           "each total has the time of its creation right behind it", names[:20])
    text = get(url)
    result(len(series(text)) > 50 and list(plain(text)), "no series is there twice in Prometheus' format")
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        result(not done.returncode and not done.stdout, "promtool check metrics has nothing to say",
               done.stdout)
    values = series(text)
    rows = sum(v for n, v in values.items() if n.startswith("pmcgrp_service_cycles_total{"))
    result(rows + values["pmcgrp_service_removed_cycles_total"] == values["pmcgrp_service_all_cycles_total"],
           "rows, other and removed are all")
    before = series(text)
    time.sleep(3)
    now = series(get(url))
    result(all(now[n] >= v for n, v in before.items() if "_total" in n and n in now) and
           any(n not in before for n in now), "no total goes back while its labels live, and some come")


class Store:
    """A program that scrapes and is asked in Prometheus' language."""

    def __init__(self, command, port, log):
        self.api = f"http://127.0.0.1:{port}/api/v1/"
        self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def ask(self, query, ago=0):
        what = urllib.parse.urlencode({"query": query, "time": time.time() - ago})
        answer = json.loads(get(f"{self.api}query?{what}"))
        return answer["data"]["result"] if answer["status"] == "success" else None

    def wait(self):
        for _ in range(SECONDS * 2):
            try:
                rows = self.ask("count_over_time(up[1m])")
                if rows and float(rows[0]["value"][1]) >= SAMPLES:
                    return True
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.5)
        return False

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def check_store(name, store, queries, log):
    if not store.wait():
        result(False, f"{name} scrapes", log.read_text(errors="replace"))
        store.end()
        return
    up = store.ask("min_over_time(up[1m])")
    result(up and float(up[0]["value"][1]) == 1, f"{name} scrapes", up)
    time.sleep(SETTLED)
    exact = store.ask(EXACT, SETTLED)
    result(exact and float(exact[0]["value"][1]) == 0, f"{name}: rows, other and removed are all", exact)
    empty = []
    for query in queries:
        try:
            if not store.ask(query):
                empty.append(query)
        except urllib.error.HTTPError as error:
            empty.append(f"{query}: {error.read().decode()}")
    result(not empty, f"{name}: each query of the dashboard has an answer", "\n".join(empty))
    # Prometheus knows nothing of a row before its first scrape; VictoriaMetrics divides by the time that it was there.
    off = store.ask("sum(rate(pmcgrp_service_cycles_total[10s])) / "
                    "sum(rate(pmcgrp_service_all_cycles_total[10s]))")
    print(f"{name}: the rates of the rows are {off[0]['value'][1] if off else 'unknown'} of the rate of all")
    store.end()


def check_stores(port, folder, queries):
    scrape = folder / "scrape.yml"
    scrape.write_text("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: pmcgrp\n  static_configs:\n"
                      f"  - targets: ['127.0.0.1:{port}']\n")
    for name, at, command in (
            ("Prometheus", port + 1, ["prometheus", f"--config.file={scrape}", "--log.level=warn",
                                      f"--storage.tsdb.path={folder}/tsdb",
                                      f"--web.listen-address=127.0.0.1:{port + 1}"]),
            ("VictoriaMetrics", port + 2, ["victoria-metrics", f"-promscrape.config={scrape}",
                                           f"-storageDataPath={folder}/vm", "-search.latencyOffset=0s",
                                           f"-httpListenAddr=127.0.0.1:{port + 2}"])):
        log = folder / f"{name}.log"
        with open(log, "wb") as out:
            check_store(name, Store(command, at, out), queries, log)


def check_node_exporter(port, folder, url):
    files = folder / "textfile"
    files.mkdir()
    (files / "pmcgrp.prom").write_text(get(url))
    with subprocess.Popen(["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port + 3}",
                           "--collector.disable-defaults", "--collector.textfile",
                           f"--collector.textfile.directory={files}"],
                          stderr=subprocess.DEVNULL) as process:
        text = ""
        for _ in range(SECONDS):
            try:
                text = get(f"http://127.0.0.1:{port + 3}/metrics")
                break
            except OSError:
                time.sleep(0.5)
        process.terminate()
    result("node_textfile_scrape_error 0" in text and "\npmcgrp_service_cycles_total{" in text,
           "node_exporter takes the file", text[:2000])


def check_pcp(port, folder, tool):
    """pmcd with no PMDA but pmdaopenmetrics, as its Install would set it up, and pminfo."""
    config = pathlib.Path(PMDA) / "config.d"
    for file in config.glob("*.url"):
        file.unlink()
    (config / "pmcgrp.url").write_text(f"http://127.0.0.1:{port}/metrics\n")
    # What is executable there is run, and prints the text: by the tool of a guest, which is static.
    script = config / "bytool"
    script.write_text(f"#!/bin/sh\nexec {tool} export --from 127.0.0.1:{port} --format plain\n")
    script.chmod(0o755)
    # A PMDA asks for the name of this machine.
    pathlib.Path("/etc/hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")
    for path in ("/run/pcp", "/var/log/pcp/pmcd"):
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)
    (folder / "pmcd.conf").write_text(
        f"openmetrics 144 pipe binary notready python3 {PMDA}/pmdaopenmetrics.python\n")
    (folder / "root").write_text("root {\n openmetrics 144:*:*\n}\n")
    command = ["/usr/lib/pcp/bin/pmcd", "-f", "-c", folder / "pmcd.conf", "-n", folder / "root", "-l",
               folder / "pmcd.log", "-p", str(port + 4), "-s", folder / "pmcd.socket", "-U", "root"]
    values, seen = [{}, {}], ""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as pmcd:
        for _ in range(SECONDS):
            time.sleep(1)
            seen = subprocess.run(["pminfo", "-h", f"127.0.0.1:{port + 4}", "-f",
                                   "openmetrics.pmcgrp.pmcgrp_service_cycles_total",
                                   "openmetrics.bytool.pmcgrp_service_cycles_total"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
            values = [dict(re.findall(r'inst \[\d+ or "\d+ cgroup:(\S+).*"\] value (\d+)', part))
                      for part in seen.partition("openmetrics.bytool")[::2]]
            if all(values):
                break
        pmcd.terminate()
    for found, how in zip(values, ("by HTTP", "from a script that runs the tool")):
        result(len(found) > 5 and int(found.get("idle", 0)) > 0, f"PCP's pmdaopenmetrics has the rows {how}",
               seen + (folder / "pmcd.log").read_text(errors="replace"))


def main():
    port, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    url = f"http://127.0.0.1:{port}/metrics"
    check_text(url)
    if sys.argv[3] == "--text":
        return 0
    check_node_exporter(port, folder, url)
    check_stores(port, folder, json.loads((folder / "queries.json").read_text()))
    check_pcp(port, folder, sys.argv[3])
    return 0


sys.exit(main())
