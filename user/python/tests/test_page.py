# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""The examples of user/doc/python.md do what stands there. Those without output are run where the module is."""

import doctest
import pathlib
import sys

import pmcgrp
import pytest

DOC = pathlib.Path(__file__).resolve().parent.parent.parent / "doc"
sys.path.append(str(DOC))
import pages  # noqa: E402

PAGE = DOC / "python.md"
BLOCKS = [block for block in pages.split(PAGE)[0] if block.language == "python"]

# A file that stands for the reader's own.
NOT_HERE = "libsolve"
# What a block has made the later ones know.
NAMES = {}


@pytest.mark.parametrize("block", BLOCKS, ids=[str(block.number) for block in BLOCKS])
def test_block(block):
    text = "\n".join(block.lines) + "\n"
    if ">>>" not in text:
        code = compile(text, str(PAGE), "exec")
        if pmcgrp.group("task-clock").backend == "pmcgrp" and NOT_HERE not in text:
            exec(code, NAMES)
        return
    test = doctest.DocTestParser().get_doctest(text, NAMES, block.where(), str(PAGE), block.number)
    test.globs = NAMES
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)
