# SPDX-License-Identifier: GPL-2.0
"""What Linux's own driver says of Intel's and AMD's events, read from its source."""
import re

OPS = {  # generic event -> index of the table of cache events
    "L1-dcache-loads": ("L1D", "RESULT_ACCESS"), "L1-dcache-load-misses": ("L1D", "RESULT_MISS"),
    "L1-icache-load-misses": ("L1I", "RESULT_MISS"), "LLC-loads": ("LL", "RESULT_ACCESS"),
    "LLC-load-misses": ("LL", "RESULT_MISS"), "dTLB-loads": ("DTLB", "RESULT_ACCESS"),
    "dTLB-load-misses": ("DTLB", "RESULT_MISS"), "iTLB-load-misses": ("ITLB", "RESULT_MISS"),
}
HARDWARE = {  # generic event -> PERF_COUNT_HW_*
    "cycles": "CPU_CYCLES", "ref-cycles": "REF_CPU_CYCLES", "instructions": "INSTRUCTIONS",
    "branches": "BRANCH_INSTRUCTIONS", "branch-misses": "BRANCH_MISSES",
    "cache-references": "CACHE_REFERENCES", "cache-misses": "CACHE_MISSES",
    "stalled-cycles-frontend": "STALLED_CYCLES_FRONTEND",
    "stalled-cycles-backend": "STALLED_CYCLES_BACKEND", "bus-cycles": "BUS_CYCLES",
}


def source(path):
    """The text without comments, and without the ends of continued lines."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//.*", "", text)
    return text.replace("\\\n", " ")


def number(text):
    """A constant of C, or an X86_CONFIG(.event=, .umask=, ...)."""
    text = text.strip()
    fields = dict(re.findall(r"\.(\w+)\s*=\s*(\w+)", text))
    if fields:
        place = {"event": 0, "umask": 8, "edge": 18, "any": 21, "inv": 23, "cmask": 24}
        return sum(int(v, 0) << place[k] for k, v in fields.items())
    return int(re.sub(r"(?i)[ul]+$", "", text), 0)


def arrays(text, kind):
    """name -> body of each `struct KIND name[] = { ... };`"""
    return dict(re.findall(r"struct %s (\w+)\[\][^={;]*=\s*\{(.*?)\n\};" % kind, text, re.S))


class Constraint:
    """Codes from first to last under mask, and the counters that can count them."""
    def __init__(self, macro, args):
        args = [number(a) for a in args]
        self.mask = 0xff
        self.first = self.last = args[0]
        if macro.endswith("_RANGE"):
            self.last = args[1]
        elif macro == "INTEL_UEVENT_CONSTRAINT":
            self.mask = 0xffff
        elif macro == "INTEL_UBIT_EVENT_CONSTRAINT":
            self.mask = 0xff | args[0]
        elif macro not in ("INTEL_EVENT_CONSTRAINT", "INTEL_EXCLEVT_CONSTRAINT"):
            raise ValueError(macro)
        self.counters = args[-1]

    def matches(self, code):
        return self.first <= code & self.mask <= self.last


def constraints(body):
    found = []
    for macro, args in re.findall(r"(\w*CONSTRAINT\w*)\s*\(([^()]*)\)", body):
        if macro.startswith(("FIXED_", "METRIC_")):
            continue    # of fixed counters: those for any event can count these, too
        found.append(Constraint(macro, args.split(",")))
    return found


def extra_codes(body):
    """Codes that need a register besides their event select."""
    return {int(c, 0) for c in re.findall(r"INTEL_UEVENT_\w*EXTRA_REG\((0x\w+)", body)}


def cache_tables(text):
    """name -> {(cache, operation, result): code}"""
    tables = {}
    for name, body in re.findall(r"u64 (\w*cache_event_ids\w*)\s*(?:\[\w+\]\s*){3}=\s*\{(.*?)\n\};",
                                 text, re.S):
        table = tables.setdefault(name, {})
        cache = op = None
        for key, value in re.findall(r"\[\s*C\(\s*(\w+)\s*\)\s*\]\s*=\s*([^\[\]{}\n]*)", body):
            if key.startswith("OP_"):
                op = key
            elif not key.startswith("RESULT_"):
                cache = key
            elif re.match(r"-?(0x)?[0-9a-fA-F]+\s*,?\s*$", value):
                table[cache, op, key] = number(value.strip(", \t"))
            else:
                raise ValueError("%s: %s" % (name, value))
    return tables


def event_maps(text):
    """name -> {hardware event: code}"""
    return {name: {k: number(v) for k, v in
                   re.findall(r"\[PERF_COUNT_HW_(\w+)\]\s*=\s*(\w+)", body)}
            for name, body in
            re.findall(r"u64 (\w*perfmon_event_map)\[PERF_COUNT_HW_MAX\][^=]*=\s*\{(.*?)\n\};",
                       text, re.S)}


def body_of(text, function):
    return re.search(r"\n[^\n;]*\b%s\([^;{]*\)\n\{(.*?)\n\}" % function, text, re.S).group(1)


class Model:
    """What the driver's start sets for one processor."""
    def __init__(self):
        self.constraints = self.cache = None
        self.extra = []
        self.events = {}        # changes of the event map
        self.cache_changes = {}
        self.uses = set()       # functions and flags

    def take(self, line, text):
        for word in re.findall(r"\w+", line):
            self.uses.add(word)
        m = re.search(r"event_constraints\)? = (\w+);", line)
        if m and "pebs" not in line and "get_" not in line:
            self.constraints = m.group(1)
        m = re.search(r"extra_regs\)? = (\w+);", line)
        if m:
            self.extra.append(m.group(1))
        m = re.search(r"memcpy\(.*hw_cache_event_ids\)?,\s*(\w+),", line)
        if m:
            self.cache = m.group(1)
        m = re.search(r"hw_cache_event_ids\)?((?:\[C\(\w+\)\]){3}) = ([^;]*);", line)
        if m:
            self.cache_changes[tuple(re.findall(r"C\((\w+)\)", m.group(1)))] = number(m.group(2))
        m = re.search(r"intel_perfmon_event_map\[PERF_COUNT_HW_(\w+)\]\s*=\s*([^;]*);", line)
        if m:
            self.events[m.group(1)] = number(m.group(2))
        m = re.match(r"\s*(intel_pmu_init_\w+|intel_pmu_ref_cycles_ext)\(", line)
        if m:
            for statement in statements(body_of(text, m.group(1))):
                self.take(statement, text)


def statements(body):
    body = re.sub(r"\s*\n\s*", " ", body)
    return re.findall(r"case [^:]*:|default:|\w+:(?!:)|[^;{}:]*(?:\{[^{}]*\}[^;]*)?;|[{}]", body)


class Intel:
    def __init__(self, tree):
        events = tree + "/arch/x86/events/"
        self.text = source(events + "intel/core.c")
        family = source(tree + "/arch/x86/include/asm/intel-family.h")
        self.numbers = {name: (int(f, 0), int(m, 0)) for name, f, m in
                        re.findall(r"#define (INTEL_\w+)\s+IFM\((\d+),\s*(\w+)\)", family)}
        self.arrays = {n: constraints(b) for n, b in
                       arrays(self.text, "event_constraint").items() if "pebs" not in n}
        self.extra = {n: extra_codes(b) for n, b in arrays(self.text, "extra_reg").items()}
        self.caches = cache_tables(self.text)
        self.map = event_maps(self.text)["intel_perfmon_event_map"]
        self.models = self.read_init()
        self.by_event = {n: self.sorted_out(a) for n, a in self.arrays.items()}
        self.known = {}

    @staticmethod
    def sorted_out(array):
        """For each event the constraints that may match codes of it, in their order."""
        return [[c for c in array if c.first & 0xff <= event <= c.last & 0xff]
                for event in range(256)]

    def read_init(self):
        """The cases of the switch in intel_pmu_init(), name -> Model."""
        body = body_of(self.text, "intel_pmu_init")
        body = body[body.index("switch (boot_cpu_data.x86_vfm)"):]
        models, here, labels, waiting, before = {}, [], {}, {}, ""
        for s in (s.strip() for s in statements(body)):
            name = re.match(r"case (INTEL_\w+):", s)
            if name:
                if not (before.startswith("case") or before == "fallthrough;"):
                    here = []
                models[name.group(1)] = Model()
                here = here + [models[name.group(1)]]
            elif s == "default:":
                break
            elif s == "break;":
                here = []
            elif s.startswith("goto "):
                waiting.setdefault(s[5:-1], []).extend(here)
                here = []
            elif re.match(r"\w+:$", s):
                here = here + waiting.pop(s[:-1], [])
            else:
                for m in here:
                    m.take(s, self.text)
            before = s
        return models

    def counters(self, model, codes, present):
        """Of each of @codes, which are the same in each call; models have tables in common."""
        key = model.constraints, present
        if key not in self.known:
            by_event = self.by_event[model.constraints]
            self.known[key] = [next((c.counters & present for c in by_event[code & 0xff]
                                     if c.matches(code)), present) for code in codes]
        return self.known[key]

    def needing_more(self, model):
        return {code for name in model.extra for code in self.extra[name]}

    def generic(self, model, event):
        if event in OPS:
            key = OPS[event][0], "OP_READ", OPS[event][1]
            return model.cache_changes.get(key, self.caches[model.cache].get(key, 0))
        name = HARDWARE[event]
        return model.events.get(name, self.map.get(name, 0))


class Amd:
    """The driver chooses among its tables by the generation."""
    def __init__(self, tree):
        self.text = source(tree + "/arch/x86/events/amd/core.c")
        self.caches = cache_tables(self.text)
        self.maps = event_maps(self.text)
        self.zen = self.generations(source(tree + "/arch/x86/kernel/cpu/amd.c"))

    @staticmethod
    def generations(text):
        """{(family, model): generation} of those that it names."""
        found = {}
        for family, body in re.findall(r"case (0x1[0-9a-f]):\s*switch \(c->x86_model\) \{(.*?)\n\t\t\}",
                                       text, re.S):
            ranges = []
            for first, last, zen in re.findall(
                    r"case (0x\w+)\s*\.\.\.\s*(0x\w+):|X86_FEATURE_ZEN(\d)", body):
                if not zen:
                    ranges.append(range(int(first, 0), int(last, 0) + 1))
                    continue
                for r in ranges:
                    found.update({(int(family, 0), m): int(zen) for m in r})
                ranges = []
        return found

    def generic(self, family, generation, event):
        if event in OPS:
            table = "amd_hw_cache_event_ids_f17h" if family >= 0x17 else "amd_hw_cache_event_ids"
            return self.caches[table].get((OPS[event][0], "OP_READ", OPS[event][1]), 0)
        table = {1: "amd_zen1_", 2: "amd_zen2_", 3: "amd_zen2_", 4: "amd_zen4_",
                 5: "amd_zen4_"}.get(generation, "amd_")
        return self.maps[table + "perfmon_event_map"].get(HARDWARE[event], 0)

    def pairs(self):
        """Events that need two counters."""
        body = body_of(self.text, "amd_is_pair_event_code")
        return {int(c, 0) for c in re.findall(r"case (0x\w+):\s*return true", body)}
