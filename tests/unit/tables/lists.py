# SPDX-License-Identifier: GPL-2.0
"""Lists of events that others publish: perf's JSON files and libpfm4."""
import csv
import ctypes
import json
import os
import re

INV, EDGE, ANY = 1 << 23, 1 << 18, 1 << 21


class Event:
    """
    code      as the event select has it
    counters  mask, None: not said, 0: a fixed one
    more      needs a register besides
    """
    def __init__(self, name, code, counters=None, more=False):
        self.name, self.code, self.counters, self.more = name, code, counters, more


def folder_of(tree, arch, cpu):
    """The folder of perf's lists for a processor, as perf names it; None: there is none."""
    base = "%s/tools/perf/pmu-events/arch/%s" % (tree, arch)
    with open(base + "/mapfile.csv", encoding="utf-8") as f:
        for row in csv.reader(f):
            if len(row) < 4 or row[0].startswith("#") or row[0] == "Family-model":
                continue
            pattern = row[0].replace("[[:xdigit:]]", "[0-9A-Fa-f]")
            if re.fullmatch(pattern, cpu) or re.fullmatch(pattern, cpu.rsplit("-", 1)[0]):
                return os.path.join(base, row[2])
    return None


def hexadecimal(text):
    return int(text.split(",")[0], 0)


def counter_mask(text):
    if text is None:
        return None
    if "ixed" in text:
        return 0
    return sum(1 << int(n) for n in text.split(","))


def from_json(folder, high_bits=False):
    """Events of the core. @high_bits: AMD's, whose event has four bits above 31."""
    events = []
    for path in sorted(os.listdir(folder)):
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            entries = json.load(f)
        for e in entries:
            if "EventCode" not in e or "Unit" in e or "EventName" not in e:
                continue
            for code in e["EventCode"].split(","):
                code = int(code, 0)
                if high_bits:
                    code = code & 0xff | (code & 0xf00) << 24
                if "UMask" in e:
                    code |= hexadecimal(e["UMask"]) << 8
                code |= hexadecimal(e.get("CounterMask", "0")) << 24
                code |= INV if hexadecimal(e.get("Invert", "0")) else 0
                code |= EDGE if hexadecimal(e.get("EdgeDetect", "0")) else 0
                code |= ANY if hexadecimal(e.get("AnyThread", "0")) else 0
                events.append(Event(e["EventName"], code, counter_mask(e.get("Counter")),
                                    hexadecimal(e.get("MSRIndex", "0")) != 0))
    return events


class PmuInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("pmu", ctypes.c_int), ("type", ctypes.c_int), ("nevents", ctypes.c_int),
                ("first_event", ctypes.c_int), ("max_encoding", ctypes.c_int),
                ("num_cntrs", ctypes.c_int), ("num_fixed_cntrs", ctypes.c_int),
                ("flags", ctypes.c_uint)]


class EventInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("pmu", ctypes.c_int),
                ("dtype", ctypes.c_int), ("idx", ctypes.c_int), ("nattrs", ctypes.c_int),
                ("reserved", ctypes.c_int), ("flags", ctypes.c_uint)]


class AttrInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("type", ctypes.c_int),
                ("idx", ctypes.c_int), ("ctrl", ctypes.c_int), ("flags", ctypes.c_uint),
                ("dflt", ctypes.c_uint64)]


class EncodeArg(ctypes.Structure):
    _fields_ = [("codes", ctypes.POINTER(ctypes.c_uint64)), ("fstr", ctypes.c_void_p),
                ("size", ctypes.c_size_t), ("count", ctypes.c_int), ("idx", ctypes.c_int)]


class Libpfm:
    """libpfm4, for processors that are not this one."""
    PLM_USER_KERNEL = 0x9   # PFM_PLM0 | PFM_PLM3
    UMASK = 1       # PFM_ATTR_UMASK

    def __init__(self):
        os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
        self.lib = ctypes.CDLL("libpfm.so.4")
        if self.lib.pfm_initialize():
            raise RuntimeError("libpfm4 does not start")
        self.pmus = {}
        for i in range(1024):
            info = PmuInfo(size=ctypes.sizeof(PmuInfo))
            if not self.lib.pfm_get_pmu_info(i, ctypes.byref(info)):
                self.pmus[info.name.decode()] = (info.first_event, info.nevents)

    def encode(self, text):
        arg = EncodeArg(size=ctypes.sizeof(EncodeArg))
        err = self.lib.pfm_get_os_event_encoding(text.encode(), self.PLM_USER_KERNEL, 0,
                                                 ctypes.byref(arg))
        return None if err or arg.count < 1 else arg.codes[0]

    def events(self, pmu, mask):
        """All events of @pmu with each of their unit masks; @mask: bits that are the event."""
        found = []
        index, nr = self.pmus[pmu]
        while index != -1 and nr:
            nr -= 1
            event = EventInfo(size=ctypes.sizeof(EventInfo))
            if self.lib.pfm_get_event_info(index, 0, ctypes.byref(event)):
                break
            names = ["%s::%s" % (pmu, event.name.decode())]
            attr = AttrInfo(size=ctypes.sizeof(AttrInfo))
            for a in range(event.nattrs):
                if not self.lib.pfm_get_event_attr_info(index, a, 0, ctypes.byref(attr)) and \
                   attr.type == self.UMASK:
                    names.append("%s:%s" % (names[0], attr.name.decode()))
            for name in names:
                code = self.encode(name)
                if code is not None:
                    found.append(Event(name.split("::")[1], code & mask))
            index = self.lib.pfm_get_event_next(index)
        return found
