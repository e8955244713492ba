# SPDX-License-Identifier: GPL-2.0-only
"""Of the checks of style: what style-abi calls a break of the ABI, and style-sentences a long sentence."""

import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(HERE, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


style_abi = script("style-abi")
style_sentences = script("style-sentences")

# What is changed in the header, and a part of what is to be said of it.
BREAKS = [
    ("\tPMCGRP_WHY_PMU\t\t\t\t= 15,\n", "", "PMCGRP_WHY_PMU is gone"),
    ("PMCGRP_WHY_PMU\t\t\t\t= 15", "PMCGRP_WHY_PMU\t\t\t\t= 215", "PMCGRP_WHY_PMU was 0xf"),
    ("#define PMCGRP_IOC_INFO\t\t_IO(PMCGRP_IOC_TYPE, 0x21)",
     "#define PMCGRP_IOC_INFO\t\t_IO(PMCGRP_IOC_TYPE, 0x3f)", "PMCGRP_IOC_INFO was"),
    ("#define PMCGRP_CREATE_SIZE_VER0\t72", "#define PMCGRP_CREATE_SIZE_VER0\t80", "VER0 was 0x48"),
    ("#define PMCGRP_SPANS_MAX\t64", "#define PMCGRP_SPANS_MAX\t63", "PMCGRP_SPANS_MAX was 0x40"),
    ("((__u64)(cpu) << 32)", "((__u64)(cpu) << 33)", "PMCGRP_RING_OFFSET(1) was"),
    # a field that goes, that moves, that changes its type, that is renamed
    ("\t__u32\tmember_size;\n\t__u32\twhy;\n\t__u32\tfail_member;\n", "\t__u32\twhy;\n\t__u32\tfail_member;\n",
     "pmcgrp_create.member_size is gone"),
    ("\t__s32\ttarget_id;\n\t__u32\tnr_members;", "\t__u32\tnr_members;\n\t__s32\ttarget_id;",
     "pmcgrp_create.target_id was __s32 at 8"),
    ("\t__s32\ttarget_id;\n\t__u32\tnr_members;", "\t__u32\ttarget_id;\n\t__u32\tnr_members;",
     "pmcgrp_create.target_id was __s32"),
    ("\t__u64\tmux_interval_ns;", "\t__u64\tinterval_ns;", "pmcgrp_query.mux_interval_ns is gone"),
    ("\tchar\trelease[32];", "\tchar\trelease[40];", "pmcgrp_query.release was char[] at 48, 32 bytes"),
    # entries that are mapped one behind the other, and records
    ("\t__u64\tindex;\n\t__u64\t__reserved;\n};", "\t__u64\tindex;\n\t__u64\t__reserved;\n\t__u64\tnew;\n};",
     "pmcgrp_user_page.member was"),
    ("\t__u16\tflags;\n\t__u64\tvalue[];", "\t__u16\tflags;\n\t__u64\tnew;\n\t__u64\tvalue[];",
     "pmcgrp_compact.value was"),
    ("#define PMCGRP_COMM_SIZE\t32", "#define PMCGRP_COMM_SIZE\t64", "pmcgrp_info.comm was"),
    # more members than an array has room for
    ("#define PMCGRP_MEMBERS_MAX\t64", "#define PMCGRP_MEMBERS_MAX\t128", "pmcgrp_keys_block.value was"),
]

GROWS = [
    ("\tPMCGRP_WHY_PMU\t\t\t\t= 15,\n", "\tPMCGRP_WHY_PMU\t\t\t\t= 15,\n\tPMCGRP_WHY_NEW = 900,\n"),
    ("#define PMCGRP_SPANS_MAX\t64", "#define PMCGRP_SPANS_MAX\t65"),
    ("\t__u32\tsection_members_max;\n\t__u32\tswitch_max;\n",
     "\t__u32\tsection_members_max;\n\t__u32\tswitch_max;\n\t__u64\tnew[4];\n"),
    ("\t__u32\tcpus_size;\n\t__u32\t__reserved;\n", "\t__u32\tcpus_size;\n\t__u16\tnew;\n\t__u16\t__reserved;\n"),
    ("/**\n * struct pmcgrp_query ", "struct pmcgrp_new {\n\t__u64\tone;\n};\n\n/**\n * struct pmcgrp_query "),
    ("struct pmcgrp_keys_slot {", "#define PMCGRP_NEW 1\nstruct pmcgrp_keys_slot {"),
]


class Abi(unittest.TestCase):
    def setUp(self):
        with open(style_abi.HEADER, encoding="utf-8") as file:
            self.header = file.read()
        self.old = style_abi.parse(style_abi.describe(style_abi.HEADER))

    def faults(self, old, new):
        self.assertEqual(self.header.count(old), 1, old)
        with tempfile.NamedTemporaryFile("w", suffix=".h", encoding="utf-8") as file:
            file.write(self.header.replace(old, new))
            file.flush()
            return style_abi.compare(self.old, style_abi.parse(style_abi.describe(file.name)))

    def test_same(self):
        self.assertEqual(style_abi.compare(self.old, self.old), [])
        self.assertGreater(len(self.old.values), 150)
        self.assertGreater(len(self.old.fields), 200)

    def test_breaks(self):
        for old, new, says in BREAKS:
            with self.subTest(says):
                self.assertIn(says, "\n".join(self.faults(old, new)))

    def test_grows(self):
        for old, new in GROWS:
            with self.subTest(new):
                self.assertEqual(self.faults(old, new), [])

    def test_hole(self):
        """A field where programs have padding."""
        old = style_abi.parse("struct a 16\nfield a.x 0 4 __u32\nfield a.y 8 8 __u64\n")
        new = style_abi.parse("struct a 16\nfield a.x 0 4 __u32\nfield a.z 4 4 __u32\nfield a.y 8 8 __u64\n")
        self.assertEqual(len(style_abi.compare(old, new)), 1)


LONG = "word " * 26
SHORT = "word " * 25


class Sentences(unittest.TestCase):
    def found(self, suffix, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=suffix, encoding="utf-8") as file:
            file.write(text)
            file.flush()
            with open(os.devnull, "w", encoding="utf-8") as null:
                stdout, sys.stdout = sys.stdout, null
                try:
                    return style_sentences.main([*options, file.name])
                finally:
                    sys.stdout = stdout

    def test_length(self):
        self.assertEqual(self.found(".md", SHORT + "end.\n"), 1)
        self.assertEqual(self.found(".md", SHORT.strip() + ".  " + SHORT.strip() + ".\n"), 0)
        self.assertEqual(self.found(".md", LONG.replace(" ", "\n", 12)), 1)

    def test_markdown(self):
        self.assertEqual(self.found(".md", "```\n" + LONG + "\n```\n# " + LONG + "\n| " + LONG + " |\n"), 0)
        self.assertEqual(self.found(".md", "- " + SHORT + "\n- " + SHORT + "\n"), 0)

    def test_header(self):
        self.assertEqual(self.found(".h", "int a; /* " + LONG + " */\n"), 1)
        self.assertEqual(self.found(".h", "/**\n * DOC: " + SHORT + "\n *\n * " + SHORT + "\n */\n"), 0)
        self.assertEqual(self.found(".h", "/**\n * @a: in: " + SHORT + "\n * @b: " + SHORT + "\n */\n"), 0)
        self.assertEqual(self.found(".h", "/*\n * " + SHORT + "\n *  one more.\n */\n"), 1)
        self.assertEqual(self.found(".h", "/*\n * " + SHORT.replace(" ", "\n *\t", 9) + " more\n */\n"), 1)
        self.assertEqual(self.found(".h", "int a;\n" * 3 + LONG), 0)

    def test_man(self):
        self.assertEqual(self.found(".3", ".SH NAME\n" + SHORT + "\n.B more\nend\n"), 1)
        self.assertEqual(self.found(".3", ".nf\n" + LONG + "\n.fi\n.TP\n" + LONG + "\n" + SHORT + "\n"), 0)

    def test_words(self):
        self.assertEqual(self.found(".md", "It tells you. It is told.\n", "--words", "tell,tells,told"), 2)
        self.assertEqual(self.found(".md", "Untold retells.\n", "--words", "tell,tells,told"), 0)


if __name__ == "__main__":
    unittest.main()
