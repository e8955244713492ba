# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""The pages and README.md as tests see them: blocks, links, headings, sentences.

develop.md says what the words behind the language of a block mean.
"""

import pathlib
import re
import shlex
import sys

DOC = pathlib.Path(__file__).resolve().parent
TOP = DOC.parent.parent
README = TOP / "README.md"
CONTENTS = DOC / "README.md"
FENCE = re.compile(r"(\s*)```(.*)$")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
CODE = re.compile(r"(`+)(.+?)\1", re.S)
HEADING = re.compile(r"(#+) (.*)$")
# Blocks of commands that selftests/vm/pages-test runs in a guest, and on which machine.
MACHINES = {"arm64": "arm64-6.12", "skylake": "x86_64-skl-6.12", "skylake2": "x86_64-skl-6.12-smp"}
# What may stand before a command.
BEFORE = ("sudo",)


class Block:
    def __init__(self, page, number, language, words):
        self.page, self.number, self.language, self.words = page, number, language, words
        self.lines = []
        self.output = None      # the block of text right behind it

    @property
    def kind(self):
        return self.words[0] if self.words else ""

    def commands(self):
        """Its lines, those that end with a backslash joined with the next one."""
        return "\n".join(self.lines).replace("\\\n", "").splitlines()

    def where(self):
        return f"{name(self.page)}:{self.number}"


def name(page):
    return str(page.relative_to(TOP))


def pages():
    """README.md first, then all in the order of their names."""
    return [README, *sorted(DOC.glob("*.md"))]


def split(page):
    """What is in blocks, and the lines of prose beside them: (blocks, [(number, line)])."""
    blocks, prose, block, indent = [], [], None, ""
    close = False               # nothing but blank lines since the last block
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and block is None:
            indent = fence[1]
            language, *words = fence[2].split() or [""]
            block = Block(page, number, language, words)
        elif fence:
            if block.language == "text" and close and blocks[-1].language == "sh":
                blocks[-1].output = block
            blocks.append(block)
            block, close = None, True
        elif block is not None:
            block.lines.append(line.removeprefix(indent))
        else:
            prose.append((number, line))
            close = close and not line.strip()
    if block is not None:
        raise SyntaxError(f"{block.where()}: this block does not end")
    return blocks, prose


def text_of(prose):
    return "\n".join(line for _, line in prose)


def inline(prose):
    """What stands in backquotes."""
    return [" ".join(m[2].split()) for m in CODE.finditer(text_of(prose))]


def headings(page):
    """(level, text)"""
    _, prose = split(page)
    return [(len(m[1]), m[2]) for _, line in prose if (m := HEADING.match(line))]


def anchor(heading):
    """As forges make it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def simple(line):
    """Of a line of commands: each one, as words, without `sudo` and redirections."""
    found, words = [], []
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    for word in lexer:
        if set(word) <= set("|&;"):
            found.append(words)
            words = []
        elif words or word not in BEFORE:
            words.append(word)
    return [w for w in (*found, words) if w]


def main():
    """PAGE LANGUAGE [KIND]: prints what is in such blocks of user/doc/PAGE, without `sudo`."""
    page, language, *kind = sys.argv[1:]
    for block in split(README if page == "README.md" else DOC / page)[0]:
        if block.language == language and block.words == kind:
            print("\n".join(re.sub(r"^sudo ", "", line) for line in block.lines))


if __name__ == "__main__":
    main()
