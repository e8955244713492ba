# SPDX-License-Identifier: LGPL-2.1-only OR MIT
# What cffi makes has no types of its own: those of C are checked when it is built.
from typing import Any

ffi: Any
lib: Any
