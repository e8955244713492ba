#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""tables.py CLI SUBCOMMAND: its long options from the tables in its source, one a line: NAME own|refused.

The compiler's preprocessor makes of each line of a table (user/cli/args/option.h) what it stands for.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

SOURCES = {"info": "info", "doctor": "doctor"}		# the others: options
# struct option_line, and struct refused_option.
OWN = re.compile(r'\.name = "([a-z-]+)",(?: \.letter = (?:\'(.)\'|0),)?(?: \.has_arg = (\d),)? \.kind')
REFUSED = re.compile(r'\{ "([a-z-]+)", (\d), (?:\'(.)\'|0),')
ARGUMENTS = ("no", "required", "optional")


def preprocessed(cli, path):
    includes = [f"-I{cli / folder}" for folder in (".", "../lib", "../include", "../../uapi")]
    text = subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=gnu11", "-E", "-P", *includes, path],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"\s+", " ", text)


def options(cli, subcommand):
    """(name, no|required|optional, letter, whether it is refused) of each, but --help."""
    cli = pathlib.Path(cli)
    source = cli / subcommand / f"{SOURCES.get(subcommand, 'options')}.c"
    found = [(name, ARGUMENTS[int(argument or 0)], letter, False)
             for name, letter, argument in OWN.findall(preprocessed(cli, source)) if name != "help"]
    refused = source.with_name("refused.c")
    if refused.exists():
        found += [(name, ARGUMENTS[int(argument)], letter, True)
                  for name, argument, letter in REFUSED.findall(preprocessed(cli, refused))]
    if not found:
        raise SystemExit(f"{source}: no table of options was understood")
    return found


if __name__ == "__main__":
    for option in options(*sys.argv[1:]):
        print(option[0], "refused" if option[3] else "own")
