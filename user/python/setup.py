# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Builds pmcgrp._native; everything else stands in pyproject.toml."""

import os
import pathlib

import setuptools

setuptools.setup(
    version=os.environ.get("PMCGRP_VERSION") or
    (pathlib.Path(__file__).resolve().parent / "../../VERSION").read_text().strip(),
    cffi_modules=["pmcgrp_build.py:ffi"])
