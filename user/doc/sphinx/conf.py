# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Of Sphinx, for ../html."""

import pathlib

TOP = pathlib.Path(__file__).resolve().parents[3]

project = "pmcgrp"
release = version = (TOP / "VERSION").read_text().strip()
extensions = ["myst_parser"]
myst_heading_anchors = 3
# Quotes are a part of commands.
smartquotes = False
# Commands and examples are in more languages than are told apart here, and parts of programs.
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "alabaster"
html_static_path = ["static"]
html_css_files = ["pmcgrp.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_theme_options = {
    "description": "counter groups for Linux",
    "page_width": "1160px",
    "sidebar_width": "250px",
    "body_max_width": "none",
    "fixed_sidebar": False,
    "show_powered_by": False,
    "show_relbars": True,
    "font_family": "sans-serif",
    "head_font_family": "sans-serif",
    "code_font_size": "0.82em",
}
