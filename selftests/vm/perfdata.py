# SPDX-License-Identifier: GPL-2.0-only
"""Reads what `pmcgrp record` writes for perf, by the format's description alone
(tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2)), so that a test
knows what perf has to print of it. Names no code of the tool's or of perf's.
"""

import collections
import ctypes
import struct

SAMPLE, LOST, LOST_SAMPLES, EVENT_UPDATE, COMPRESSED = 9, 2, 13, 78, 81
NAME = 2                        # EVENT_UPDATE's kind
# IDENTIFIER | IP | TID | TIME | CPU | READ: all that is understood here.
SAMPLE_TYPE = 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 4
# GROUP | ID | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING
READ_FORMAT = 1 << 3 | 1 << 2 | 1 << 0 | 1 << 1

# What perf calls a sample: of one event, with what was counted since the one before.
Value = collections.namedtuple("Value", "tid cpu time event period")


def u64s(data, at, number):
    return struct.unpack_from(f"<{number}Q", data, at)


class Zstd:
    """A stream of Zstandard's, by the library itself: Python has no module for it."""

    class Buffer(ctypes.Structure):
        _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]

    def __init__(self):
        self.library = ctypes.CDLL("libzstd.so.1")
        self.library.ZSTD_createDStream.restype = ctypes.c_void_p
        self.library.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.stream = ctypes.c_void_p(self.library.ZSTD_createDStream())

    def decompress(self, data):
        room = ctypes.create_string_buffer(1 << 20)
        bytes_in = ctypes.create_string_buffer(data, len(data))
        source = self.Buffer(ctypes.addressof(bytes_in), len(data), 0)
        out = b""
        while source.pos < source.size:
            target = self.Buffer(ctypes.addressof(room), len(room), 0)
            left = self.library.ZSTD_decompressStream(self.stream, ctypes.byref(target),
                                                      ctypes.byref(source))
            if self.library.ZSTD_isError(ctypes.c_size_t(left)):
                raise ValueError("what is compressed is damaged")
            out += room.raw[:target.pos]
        return out


class File:
    """A perf.data file: events by their ids, records, samples."""

    def __init__(self, data):
        self.data = data
        if data[:8] != b"PERFILE2":
            raise ValueError("no file of perf's")
        _, entry, attrs_at, attrs_len, self.begin, length = u64s(data, 8, 6)
        self.end = self.begin + length
        if self.end > len(data):
            raise ValueError("its data go on behind its end")
        self.packed = 0         # how many records were compressed ones
        self.unpack()
        self.event_of = {}      # of an id: its number
        self.names = []
        for n in range(attrs_len // entry):
            self.take_attr(n, attrs_at + n * entry, entry)
        for kind, at, size in self.records():
            if kind == EVENT_UPDATE and u64s(data, at + 8, 1)[0] == NAME:
                name = data[at + 24:at + size].partition(b"\0")[0].decode()
                self.names[self.event_of[u64s(data, at + 16, 1)[0]]] = name

    def unpack(self):
        """In place of each compressed record what is in it."""
        stream = Zstd()
        pieces = []
        for kind, at, size in self.records():
            if kind == COMPRESSED:
                self.packed += 1
                pieces.append(stream.decompress(self.data[at + 8:at + size]))
            else:
                pieces.append(self.data[at:at + size])
        self.data = self.data[:self.begin] + b"".join(pieces)
        self.end = len(self.data)

    def take_attr(self, n, at, entry):
        sample_type, read_format = u64s(self.data, at + 24, 2)
        if (sample_type, read_format) != (SAMPLE_TYPE, READ_FORMAT):
            raise ValueError(f"event {n}: {sample_type:#x}, {read_format:#x}")
        ids_at, ids_len = u64s(self.data, at + entry - 16, 2)
        self.event_of.update((i, n) for i in u64s(self.data, ids_at, ids_len // 8))
        self.names.append("")

    def records(self):
        at = self.begin
        while at < self.end:
            kind, _, size = struct.unpack_from("<IHH", self.data, at)
            if size < 8 or size > self.end - at:
                raise ValueError(f"record of {size} bytes at {at}")
            yield kind, at, size
            at += size

    def samples(self):
        """(tid, cpu, time, [(id, value)]) in the file's order."""
        for kind, at, size in self.records():
            if kind != SAMPLE:
                continue
            _, _, who, time, cpu, nr, _, _ = u64s(self.data, at + 8, 8)
            if size != 72 + 16 * nr:
                raise ValueError(f"a sample of {nr} events has {size} bytes")
            pairs = u64s(self.data, at + 72, 2 * nr)
            yield who >> 32, cpu & 0xffffffff, time, list(zip(pairs[1::2], pairs[0::2]))

    def lost(self):
        return sum(u64s(self.data, at + (16 if kind == LOST else 8), 1)[0]
                   for kind, at, _ in self.records() if kind in (LOST, LOST_SAMPLES))

    def values(self):
        """What perf script has to print: nothing for an event that has not counted."""
        last = {}
        out = []
        for tid, cpu, time, pairs in self.samples():
            for identity, value in pairs:
                period = value - last.get(identity, 0)
                last[identity] = value
                if period:
                    name = self.names[self.event_of[identity]]
                    out.append(Value(tid, cpu, time, name, period))
        return out

    def sums(self):
        """By event: how many values, and what they add up to."""
        sums = collections.OrderedDict()
        for v in self.values():
            number, total = sums.get(v.event, (0, 0))
            sums[v.event] = (number + 1, total + v.period)
        return sums
