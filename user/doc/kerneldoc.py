#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Pages from the kernel-doc comments of a header: abi.md from uapi/linux/pmcgrp.h, and for the HTML pages those of
the library and of the API for kernel modules.

kerneldoc.py: prints abi.md. kerneldoc.py --write: writes it. `user/doc/check` fails if the two differ.
"""

import collections
import pathlib
import re
import sys
import textwrap

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
ABI = TOP / "user/doc/abi.md"
HEADER = TOP / "uapi/linux/pmcgrp.h"
LICENCE = "<!-- SPDX-License-Identifier: {} -->"

Item = collections.namedtuple("Item", "kind title summary params body code")

COMMENT = re.compile(r"^/\*(\*?)(.*?)\*/\n?(.*?)(?=^/\*|\Z)", re.M | re.S)
PARAM = re.compile(r"@([\w.]+):\s*(.*)")
NAMED = re.compile(r"(PMCGRP_\w+): (.*)", re.S)
DEFINE = re.compile(r"^#define\s+(PMCGRP_\w+(?:\(\w+\))?)\s+(.+)$", re.M)
# What is code in a sentence: %NAME, @name, sizeof(), calls, pages of the manual, headers, names with an underscore.
CODE = re.compile(r"%(?P<name>\w+)|@(?P<param>\w+)|(?P<rest>sizeof\([^)]*\)|<[\w/]+\.h>|\w+<n>\w*|[\w.]*\w\(\d?\)|"
                  r"/\w+(?:/[\w.-]+)+|\w+/[\w/]+\.c\b|attr\.\w+|(?:(?:struct|enum) )?[\w.]*_[\w.]*[\w*](?:=\w+)?)")
WIDTH = 118


def inline(text):
    """A sentence as Markdown."""
    out, at = [], 0
    text = re.sub(r"\(DOC: ([^)]*)\)", r'("\1")', " ".join(text.split()))
    for m in CODE.finditer(text):
        out.append(re.sub(r"([*<|])", r"\\\1", text[at:m.start()]))
        out.append(f"`{m['name'] or m['param'] or m['rest']}`")
        at = m.end()
    out.append(re.sub(r"([*<|])", r"\\\1", text[at:]))
    return "".join(out)


def lines_of(comment):
    """Without the stars, with what is indented behind them."""
    lines = [re.sub(r"^\s*\* ?(?!/)", "", line) if re.match(r"\s*\*", line) else line.strip()
             for line in comment.split("\n")]
    return [line.rstrip() for line in lines]


def parse(comment, code, documented):
    """The item that a comment and the code behind it are."""
    lines = lines_of(comment)
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    first = lines[0].strip() if lines else ""
    if first.startswith("DOC: "):
        return Item("doc", first[5:], "", {}, lines[1:], code)
    if NAMED.match(first):
        name, text = NAMED.match("\n".join(lines).strip()).groups()
        head, _, body = text.partition("\n\n")
        return Item("constant", name, head, {}, body.split("\n"), code)
    head = re.match(r"((?:struct |enum |class )?[\w:]+) - (.*)", first)
    if not documented or not head:
        return Item("plain", first, "", {}, lines, code)
    rest, summary = lines[1:], [head[2]]
    while rest and rest[0].strip() and not PARAM.match(rest[0].strip()):
        summary.append(rest.pop(0).strip())
    # Text may stand between parameters, and follows them then.
    params, name, text = {}, None, []
    for line in rest:
        param = PARAM.match(line.strip())
        if param:
            name = param[1]
            params[name] = param[2]
        elif name and line.strip():
            params[name] += " " + line.strip()
        else:
            name = None
            text.append(line)
    kind = head[1].split()[0] if " " in head[1] else "function"
    return Item(kind, head[1], " ".join(summary), params, text, code)


def items(header):
    text = header.read_text()
    return [parse(m[2], m[3].strip("\n"), bool(m[1])) for m in COMMENT.finditer(text)]


def wrapped(begin, text):
    """A paragraph, or an item of a list. What is code stays on one line, and no line begins as a list does."""
    text = re.sub(r"`[^`]*`", lambda m: m[0].replace(" ", "\0"), begin + inline(text))
    lines = [line.replace("\0", " ") for line in textwrap.wrap(text, WIDTH, subsequent_indent=" " * len(begin),
                                                               break_long_words=False, break_on_hyphens=False)]
    for number in range(len(lines) - 1, 0, -1):
        if re.match(r"\s*([-+*#>]|\d+\.)(\s|$)", lines[number]):
            lines[number - 1] += " " + lines.pop(number).strip()
    return lines


def body(lines):
    """Paragraphs and lists of a comment as Markdown."""
    blocks, begin, text, term = [], "", [], False

    def end():
        if text:
            blocks.append((begin, " ".join(text)))
        text.clear()

    for line in lines:
        word = line.strip()
        spaces = len(line) - len(line.lstrip(" "))
        bullet = re.match(r"(-|\d+\.) +(.*)", word)
        if not word:
            end()
            blocks.append(None)
        elif bullet and spaces in (0, 1, 2):
            end()
            begin, text, term = bullet[1] + " ", [bullet[2]], False
        elif spaces in (1, 2) and not line.startswith("\t"):
            # An errno with its words, or a term that the next lines explain.
            end()
            begin, text, term = "- ", [word], ": " not in word
        elif text:
            if term:
                text[0] += ":"
                term = False
            text.append(word)
        else:
            begin, text, term = "", [word], False
    end()
    out = []
    for block in blocks:
        item = block and block[0]
        if block is None or not item or out and out[-1] and not last:
            if out and out[-1]:
                out.append("")
        if block:
            out += wrapped(*block)
        last = item
    while out and not out[-1]:
        out.pop()
    return out


def table(head, rows):
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]


def fields(code):
    """{field: type} of a struct."""
    inner = re.sub(r"/\*.*?\*/", "", code, flags=re.S).partition("{")[2].rpartition("}")[0]
    found = {}
    for line in filter(None, map(str.strip, inner.split(";"))):
        m = re.fullmatch(r"(.*?)\s*\b(\w+)((?:\[[^]]*\])*)", line, re.S)
        if m:
            found[m[2]] = " ".join(m[1].split()) + m[3]
    return found


def values(code):
    return dict(re.findall(r"^\s*(PMCGRP_\w+)\s*=\s*([^,]+),", code, re.M))


def defines(code):
    return {name: " ".join(value.split()) for name, value in DEFINE.findall(code)}


def code_of(value):
    return "`" + re.sub(r"^\((.*)\)$", r"\1", value).replace("|", "\\|") + "`"


# ---- The page of the ABI ----

ABI_HEAD = """\
# The ABI: /dev/pmcgrp

<!-- Made by user/doc/kerneldoc.py: change the comments of uapi/linux/pmcgrp.h, not this. -->

This is the whole ABI of the module, as its header [uapi/linux/pmcgrp.h](../../uapi/linux/pmcgrp.h) has it.
[pmcgrp(4)](../man/pmcgrp.4) has the same in the order of use, and [libpmcgrp(3)](../man/libpmcgrp.3) is the library above it.

| | |
|---|---|
| device | `/dev/pmcgrp`, a character device with one minor, mode 0600; [who may open it](rights.md) |
| header | `<linux/pmcgrp.h>`, and `<linux/perf_event.h>` for `struct perf_event_attr` and the records |
| version | {version}, in `PMCGRP_ABI_VERSION` and in `pmcgrp_query.abi_version` |
| guarantee | `selftests/style abi` holds the header against that of the last release: nothing is taken away or changed |

A group is made by one ioctl on the device, which returns a descriptor. That is read, controlled, mapped and closed.

## Ioctls

All numbers are `_IO({type}, number)`. Each returns 0 if nothing else is said, or -1 with errno.
"""

ABI_READ = """\
## Layouts of read()

`read()` of a group gives the layout of `perf_event_open(2)`, by the bits of `read_format`. All are `__u64`:

| in this order | with |
|---|---|
| number of members | `PERF_FORMAT_GROUP` |
| the value | without `PERF_FORMAT_GROUP` |
| `time_enabled`, in nanoseconds | `PERF_FORMAT_TOTAL_TIME_ENABLED` |
| `time_running`, in nanoseconds | `PERF_FORMAT_TOTAL_TIME_RUNNING` |
| for each member its value | `PERF_FORMAT_GROUP` |
| behind each value the id | `PERF_FORMAT_ID` |
| behind that what was lost | `PERF_FORMAT_LOST` |
"""


def ioctls(every):
    """Rows of the table of ioctls."""
    arguments, notes, rows = {}, {}, []
    for item in every:
        if item.kind == "struct" and next(iter(fields(item.code)), "") == "size":
            for name in re.findall(r"PMCGRP_IOC_\w+", item.summary):
                arguments[name] = f"[`{item.title}`](#{item.title.replace(' ', '-')})"
        elif item.kind == "constant" and item.title.startswith("PMCGRP_IOC_") and "_IO(" in item.code:
            notes[item.title] = inline(item.summary)
    for item in every:
        for name, value in defines(item.code).items():
            number = re.match(r"_IO\(PMCGRP_IOC_TYPE, (0x[0-9a-f]+)\)", value)
            if number:
                on = "device" if int(number[1], 16) < 0x20 else "group"
                rows.append((f"`{name}`", number[1], on, arguments.get(name, notes.get(name, ""))))
    return rows


def struct(item, sizes):
    out = [f"### {item.title}", "", inline(item.summary[:1].upper() + item.summary[1:]) + ".", ""]
    types = fields(item.code)
    unknown = set(item.params) ^ set(types)
    if unknown:
        raise SystemExit(f"{item.title}: fields and comments differ: {', '.join(sorted(unknown))}")
    out += table(("field", "type", ""), [(f"`{name}`", code_of(types[name]), inline(text))
                                         for name, text in item.params.items()])
    if item.title.split()[1].upper() + "_SIZE_VER0" in sizes:
        out += ["", f"Its first published form has {sizes[item.title.split()[1].upper() + '_SIZE_VER0']} bytes."]
    return [*out, "", *body(item.body), ""]


def enum(item):
    known = values(item.code)
    return [f"### {item.title}", "", inline(item.summary[:1].upper() + item.summary[1:]) + ".", "",
            *table(("name", "value", ""), [(f"`{name}`", known[name], inline(text))
                                           for name, text in item.params.items()]), "", *body(item.body), ""]


def flags(item):
    """A comment without a name that explains constants, one after the other."""
    known, rows = defines(item.code), []
    intro, *rest = re.split(r"\n(?=PMCGRP_\w+: )", "\n".join(item.body))
    for text in rest:
        name, words = NAMED.match(text).groups()
        rows.append((f"`{name}`", code_of(known.get(name, "")), inline(words)))
    title = " ".join(intro.split()).rstrip(".").partition(":")
    return [f"### {title[0]}", "", *([inline(title[2].strip().capitalize()) + ".", ""] if title[2] else []),
            *table(("flag", "value", ""), rows), ""]


def abi_page():
    every = items(HEADER)
    constants = {}
    for item in every:
        constants.update(defines(item.code))
    sizes = {name: value for name, value in constants.items() if name.endswith("_SIZE_VER0")}
    out = [LICENCE.format("GPL-2.0-only WITH Linux-syscall-note"),
           ABI_HEAD.format(version=constants["PMCGRP_ABI_VERSION"], type=constants["PMCGRP_IOC_TYPE"])]
    out += [*table(("ioctl", "number", "on", "argument"), ioctls(every)), ""]
    for item in every:
        if item.kind == "plain" and "by perf's own numbers" in item.title:
            out += [*body(item.body), ""]
    out += [ABI_READ]
    for item in every:
        if item.kind == "doc":
            out += [f"## {item.title}", "", *body(item.body), ""]
    out += ["## Structs, enums and flags", ""]
    for item in every:
        if item.kind == "struct":
            out += struct(item, sizes)
        elif item.kind == "enum":
            out += enum(item)
        elif item.kind == "plain" and re.search(r"^PMCGRP_\w+: ", "\n".join(item.body), re.M):
            out += flags(item)
    out += ["## Other constants", ""]
    rows, longer = [], []
    for item in every:
        if item.kind == "constant" and item.title not in sizes and "_IO(" not in item.code:
            value = next((v for n, v in constants.items() if n.partition("(")[0] == item.title), "")
            rows.append((f"`{item.title}`", code_of(value), inline(item.summary)))
            if any(line.strip() for line in item.body):
                longer += ["", f"### {item.title}", "", *body(item.body)]
    out += [*table(("constant", "value", ""), rows), *longer]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


# ---- Pages of functions ----

def prototype(code):
    """What is declared, without the body of an inline function."""
    code = re.split(r"\n\n|^#", code.strip(), flags=re.M)[0]
    return re.split(r"\n\{", code)[0].strip()


def reference_page(title, intro, headers):
    """Of headers with functions: each with its declaration."""
    out = [f"# {title}", "", intro, ""]
    for header in headers:
        out += [f"## {header.name}", ""]
        for item in items(header):
            if item.kind == "doc":
                out += [f"### {item.title}", "", *body(item.body), ""]
            elif item.kind not in ("plain", "constant"):
                out += [f"### {item.title}", "", inline(item.summary[:1].upper() + item.summary[1:]).rstrip(".") + ".", "",
                        "```c", prototype(item.code), "```", ""]
                out += [f"- `{name}`: {inline(text)}" for name, text in item.params.items()]
                out += ["", *body(item.body), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        ABI.write_text(abi_page())
    else:
        print(abi_page(), end="")
