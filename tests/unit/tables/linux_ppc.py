# SPDX-License-Identifier: GPL-2.0
"""What Linux's drivers say of POWER's events, read from their source."""
import re
from linux_x86 import HARDWARE, OPS, source


class Power:
    def __init__(self, tree, version):
        perf = "%s/arch/powerpc/perf/power%d-" % (tree, version)
        self.text = source(perf + "pmu.c")
        listed = source(perf + "events-list.h")
        self.codes = {n: int(c, 0) for n, c in re.findall(r"EVENT\((\w+),\s*(0x\w+)\)", listed)}
        self.hardware = dict(re.findall(r"\[PERF_COUNT_HW_(\w+)\]\s*=\s*(\w+)", self.array(
            "power%d_generic_events" % version)))
        self.caches = {}
        cache = op = None
        for key, value in re.findall(r"\[\s*C\(\s*(\w+)\s*\)\s*\]\s*=\s*(-?\w*)", self.array(
                "power%d_cache_events" % version)):
            if key.startswith("OP_"):
                op = key
            elif not key.startswith("RESULT_"):
                cache = key
            else:
                self.caches[cache, op, key] = value

    def array(self, name):
        return re.search(r"\b%s\s*(?:\[[^=]*\])\s*=\s*\{(.*?)\n\};" % name, self.text, re.S).group(1)

    def code(self, name):
        return self.codes.get(name, 0) if name not in ("0", "-1", "", None) else 0

    def generic(self, event):
        if event in OPS:
            return self.code(self.caches.get((OPS[event][0], "OP_READ", OPS[event][1])))
        return self.code(self.hardware.get(HARDWARE[event]))

    def alternatives(self):
        """Pairs of codes of the same event."""
        names = re.findall(r"\{\s*(PM_\w+),\s*(PM_\w+)\s*\}", self.text)
        return [{self.codes[a], self.codes[b]} for a, b in names]

    def blacklists(self):
        """Stepping -> codes that do not count there."""
        return {name: {self.codes[n] for n in re.findall(r"PM_\w+", body)} for name, body in
                re.findall(r"int p9_(dd\w+)_bl_ev\[\]\s*=\s*\{(.*?)\};", self.text, re.S)}

