#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Compares pev's tables of events with those of others, processor by processor, and
prints what differs without a reason, reasons that nothing needs, and how much was compared.

    check.py LINUX X86 PPC DIFFERENCES [PROCESSOR]

LINUX        a tree, or those files of one that run names
X86, PPC     the backends' answers: x86.c and ppc.c
DIFFERENCES  what may differ, each with its reason
PROCESSOR    only this one, and reasons that are written for others, too, may be left over

What is compared: which counters Linux's driver lets an event use, which events need
another register, the shortest periods, the quirks of a processor, and the generic events;
counters, registers and names in perf's JSON lists; names in libpfm4.
"""
import fnmatch
import re
import subprocess
import sys

import linux_ppc
import linux_x86
import lists

# pev's word for each libpfm4 list, and how many counters a processor has at most
INTEL = {
    "NEHALEM": ("nhm", 4), "NEHALEM_EP": ("nhm", 4), "NEHALEM_EX": ("nhm_ex", 4),
    "WESTMERE": ("wsm", 4), "WESTMERE_EP": ("wsm_dp", 4), "WESTMERE_EX": ("wsm_dp", 4),
    "SANDYBRIDGE": ("snb", 8), "SANDYBRIDGE_X": ("snb_ep", 8), "IVYBRIDGE": ("ivb", 8),
    "IVYBRIDGE_X": ("ivb_ep", 8), "HASWELL": ("hsw", 8), "HASWELL_X": ("hsw_ep", 8),
    "BROADWELL": ("bdw", 8), "BROADWELL_X": ("bdw_ep", 8), "SKYLAKE": ("skl", 8),
    "SKYLAKE_X": ("skx", 8), "ICELAKE": ("icl", 8), "ICELAKE_X": ("icx", 8),
    "SAPPHIRERAPIDS_X": ("spr", 8), "EMERALDRAPIDS_X": ("spr", 8),
}
SMALLEST = (0x37, 0x4a, 0x4c, 0x4d, 0x5a)    # Silvermont, Airmont
SMALL = (0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c)  # Goldmont, Tremont
AMD = {  # name -> (family, model, generation, libpfm4)
    "Zen": (0x17, 0x01, 1, "amd64_fam17h_zen1"), "Zen 2": (0x17, 0x31, 2, "amd64_fam17h_zen2"),
    "Zen 3": (0x19, 0x01, 3, "amd64_fam19h_zen3"), "Zen 4": (0x19, 0x61, 4, "amd64_fam19h_zen4"),
    "Zen 5": (0x1a, 0x02, 5, None),
}
POWER = {"POWER8": (8, 0x4d), "POWER9": (9, 0x4e), "POWER10": (10, 0x80)}

# Names that others may have for what a generic event means.
MEANS = {
    "cycles": r"CYC|CLK_(THREAD_)?UNHALTED|UNHALTED",
    "ref-cycles": r"REF|UNHALTED|P0_FREQ",
    "instructions": r"INST",
    "branches": r"BR_INST_RETIRED|BR_CMPL|BRANCH|BR_FIN|BRN$|EX_RET_BRN\b",
    "branch-misses": r"MISP|MPRED",
    "cache-references": r"LLC_REF|L3_REF|LONGEST_LAT_CACHE.REFERENCE|LAST_LEVEL|L2_CACHE_REQ_STAT|"
                        r"REFERENCES|CORE_TO_L2",
    "cache-misses": r"LLC_MISS|L3_MISS|LONGEST_LAT_CACHE.MISS|LAST_LEVEL_CACHE_MISS|"
                    r"FILLS_FROM|REFILLS",
    "stalled-cycles-frontend": r"NOT_DELIVERED|UOPS_ISSUED|NOSLOT|DISP_STALL|DISPATCH_RESOURCE|"
                               r"OP_QUEUE_EMPTY|UOPS_QUEUE_EMPTY",
    "stalled-cycles-backend": r"STALL|CORE_ACTIVE|CYCLE_ACTIVITY|UOPS_EXECUTED",
    "bus-cycles": r"REF|UNHALTED",
    "L1-dcache-loads": r"ALL_LOADS|LOADS|LD_REF_L1|LD_DISPATCH",
    "L1-dcache-load-misses": r"L1_MISS|L1D.REPLACEMENT|L1D:|LD_MISS_L1|LD_DEMAND_MISS_L1|MAB_ALLOC|"
                             r"MISS_BUFFER|MISSED_ADDRESS",
    "L1-icache-load-misses": r"ICACHE.*(MISS|IFDATA_STALL|IFTAG_MISS)|L1I.MISS|L1_ICACHE_MISS|IC_.*MISS|"
                             r"IC_CACHE_MISS|INSTRUCTION_CACHE_(REFILLS|MISS)|IC_TAG_HIT_MISS",
    "LLC-loads": r"DEMAND_DATA_R|L2MISS|L2_MISS|LS_RD_BLK_C",
    "LLC-load-misses": r"L3_MISS|LLC_MISS|L3MISS|UNCORE_HIT|LLC_UNSHARED|FILLS|REFILLS|LLC_L",
    "dTLB-loads": r"ALL_LOADS|LOADS|LD_DISPATCH",
    "dTLB-load-misses": r"D_?TLB",
    "iTLB-load-misses": r"I_?TLB|BP_L1_TLB_MISS_L2",
}
MODES = 1 << 16 | 1 << 17 | 1 << 19 | 1 << 20 | 1 << 21 | 1 << 22
SELECT = 0xffffffff & ~MODES
AMD_SELECT = 0xfffffffff & ~MODES


def as_text(codes):
    return "".join("%#x\n" % c for c in codes)


class CodeLines(dict):
    """Lines of codes, most of which many processors have in common: (code, (counters, period))"""
    def __missing__(self, line):
        _, code, counters, period = line.split()
        self[line] = found = int(code, 0), (int(counters, 0), int(period))
        return found


class Answers:
    """What a backend says: generic events, and (counters, period) of codes, or None."""
    lines = CodeLines()

    def __init__(self, command, codes):
        """@codes: numbers, or the text of them"""
        if not isinstance(codes, str):
            codes = as_text(codes)
        text = subprocess.run(command, input=codes, check=True, capture_output=True,
                              text=True).stdout.splitlines()
        self.generics, self.why = {}, {}
        self.codes = dict(map(self.lines.__getitem__,
                              [line for line in text if line.startswith("code ")]))
        for line in text:
            if line.startswith("code "):
                continue
            kind, rest = line.split(" ", 1)
            words = rest.split()
            if kind == "model":
                self.name = rest
            elif kind == "generic":
                self.generics.setdefault(words[0], []).append(int(words[1], 0))
            else:
                self.codes[int(words[0], 0)] = None
                self.why[int(words[0], 0)] = rest.split(" ", 1)[1]

    @staticmethod
    def names(command, counters, numbers):
        """Of each model with one of @numbers"""
        last, *others = map(str, reversed(numbers))
        text = subprocess.run([*command, last, counters, *reversed(others)], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
        found = re.findall(r"^model (.*)$", text, re.M)
        if len(found) != len(numbers):
            sys.exit("%d names of %d models" % (len(found), len(numbers)))
        return found

    def counters(self, code):
        """Mask, or None: refused."""
        return self.codes[code] and self.codes[code][0]


class Book:
    """The differences that have a reason, and those that were found."""
    def __init__(self, path):
        self.reasons = []
        with open(path, encoding="utf-8") as f:
            for n, line in enumerate(f, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                what, sep, reason = line.partition(" -- ")
                words = what.split()
                if not sep or len(words) != 5 or not reason.strip():
                    sys.exit("%s:%d: not MODEL SOURCE SUBJECT PEV OTHER -- reason" % (path, n))
                self.reasons.append([words, n, False])
        self.found = []
        self.compared = {}

    def count(self, source, n=1):
        self.compared[source] = self.compared.get(source, 0) + n

    def differ(self, *words):
        words = [str(w).replace(" ", "_") for w in words]
        for reason in self.reasons:
            if all(fnmatch.fnmatchcase(w, p) for w, p in zip(words, reason[0])):
                reason[2] = True
                return
        if words not in self.found:
            self.found.append(words)


def show(counters):
    return "refused" if counters is None else hex(counters)


def grouped(differences):
    """{(pev, other): codes} -> (subject, pev, other), an event where all its masks differ so."""
    for (ours, theirs), codes in sorted(differences.items()):
        by_event = {}
        for code in codes:
            by_event.setdefault(code & 0xff, []).append(code)
        whole = sorted(e for e, c in by_event.items() if len(c) > 16)
        while whole:
            last = whole[0]
            while last + 1 in whole:
                last += 1
            yield ("event-%02x" % whole[0] if last == whole[0] else
                   "event-%02x-%02x" % (whole[0], last)), ours, theirs
            whole = [e for e in whole if e > last]
        for event, codes in sorted(by_event.items()):
            if len(codes) <= 16:
                for code in codes:
                    yield "code-%04x" % code, ours, theirs


def check_generics(book, name, answers, source, of):
    """@of: event -> its code by @source, 0: none, None: not to be compared"""
    for event in MEANS:
        ours, theirs = answers.generics.get(event, [0]), of(event)
        book.count(source)
        if theirs is not None and theirs not in ours:
            book.differ(name, source, event, hex(ours[0]), hex(theirs) if theirs > 0 else "none")


def check_names(book, name, answers, source, events, select=SELECT):
    """Is each generic event's code in the list, under a name that means the same?"""
    names = {}
    for e in events:
        names.setdefault(e.code & select, []).append(e.name)
    for event, codes in answers.generics.items():
        for code in codes:
            if not code:
                continue
            book.count(source)
            found = names.get(code & select)
            if not found:
                book.differ(name, source, event, hex(code), "unlisted")
            elif not any(re.search(MEANS[event], n, re.I) for n in found):
                book.differ(name, source, event, hex(code), ",".join(found)[:60])


def check_lists(book, name, answers, events, present):
    """Counters and registers of each event in perf's JSON lists."""
    width = 0
    for e in events:
        width |= e.counters or 0
    for e in events:
        if e.counters == 0 or not e.code & 0xff or e.code & linux_any:
            continue
        ours = answers.counters(e.code)
        book.count("json-counters")
        if e.more != (ours is None):
            book.differ(name, "json-register", e.name, show(ours), "register" if e.more else "none")
        elif ours is not None and e.counters is not None and ours & width & ~e.counters:
            book.differ(name, "json-counters", e.name, show(ours & width),
                        show(e.counters & present))


linux_any = lists.ANY


def periods_of(linux, model):
    """The shortest that Linux's limit_period() lets through: of all events, and of 01c0."""
    for limit in (w for w in model.uses if w.endswith("_limit_period")):
        body = linux_x86.body_of(linux.text, limit)
        if "precise_ip" in body:
            continue    # of precise events
        numbers = [int(n) for n in re.findall(r"\b(\d+)(?:LL)?\b", body) if int(n) > 2]
        of_all = "erratum_hsw11" not in body or "?" in body
        return min(numbers) if of_all else 2, max(numbers)
    return 2, 2


def check_intel(book, linux, pfm, tree, x86, only):
    every = [u << 8 | e for e in range(1, 256) for u in range(256)]
    every_text = as_text(every)
    for label, model in linux.models.items():
        label = label.replace("INTEL_", "")
        if not fnmatch.fnmatchcase(label, only):
            continue
        family, number = linux.numbers["INTEL_" + label]
        list_name, nr = INTEL.get(label, (None, 2 if number in SMALLEST else 4 if number in SMALL or number < 0x2a else 8))
        folder = lists.folder_of(tree, "x86", "GenuineIntel-%d-%02X-4" % (family, number))
        events = lists.from_json(folder) if folder else []
        answers = Answers([x86, "intel", str(family), str(number), str(nr)],
                          every_text + as_text(e.code for e in events if not e.code & linux_any))
        if answers.name == "-":
            continue
        present = (1 << nr) - 1
        book.count("linux-counters", len(every))
        different, periods, least = {}, {}, periods_of(linux, model)
        needing_more = linux.needing_more(model)
        for code, theirs in zip(every, linux.counters(model, every, present)):
            ours = answers.codes[code]
            ours = ours and ours[0]
            if code in needing_more:
                theirs = None
            if ours != theirs:
                different.setdefault((show(ours), show(theirs)), []).append(code)
            elif ours is not None:
                ours, theirs = answers.codes[code][1], least[code == 0x01c0]
                if ours != theirs:
                    periods.setdefault((str(ours), str(theirs)), []).append(code)
        for subject, ours, theirs in grouped(different):
            book.differ(label, "linux-counters", subject, ours, theirs)
        for subject, ours, theirs in grouped(periods):
            book.differ(label, "linux-period", subject, ours, theirs)
        for word in sorted(model.uses):
            if re.search(r"_quirk$|_ht_bug$|^PMU_FL_TFA$|^intel_pmu_\w+_enable_all$", word) and \
               word != "x86_add_quirk":
                book.differ(label, "linux-quirk", word, "-", "-")
        check_generics(book, label, answers, "linux-generic",
                       lambda event, m=model: linux.generic(m, event))
        if events:
            check_names(book, label, answers, "json-name", events)
            check_lists(book, label, answers, events, present)
        if list_name:
            check_names(book, label, answers, "libpfm4-name", pfm.events(list_name, SELECT))


def check_amd(book, linux, pfm, tree, x86, only):
    for name, (family, number, generation, list_name) in AMD.items():
        if not fnmatch.fnmatchcase(name, only):
            continue
        events = lists.from_json(lists.folder_of(tree, "x86", "AuthenticAMD-%d-%X" %
                                                 (family, number)), True)
        pairs = sorted(linux.pairs())
        answers = Answers([x86, "amd", str(family), str(number), "6"], pairs)
        for code in pairs:
            book.count("linux-pair")
            if answers.counters(code) is not None:
                book.differ(name, "linux-pair", hex(code), show(answers.counters(code)), "two")
        check_generics(book, name, answers, "linux-generic", lambda event, f=family, g=generation:
                       linux.generic(f, g, event))
        for source, known in (("json-name", events),
                              ("libpfm4-name", list_name and pfm.events(list_name, AMD_SELECT))):
            if known:
                check_names(book, name, answers, source, with_unions(known, answers), AMD_SELECT)
    for family in sorted({f for f, _ in linux.zen}) if only == "*" else ():
        numbers = [n for f, n in linux.zen if f == family]
        for number, ours in zip(numbers, Answers.names([x86, "amd", str(family)], "6", numbers)):
            generation = linux.zen[family, number]
            book.count("linux-generation")
            theirs = "Zen" if generation == 1 else "Zen %d" % generation
            if ours != theirs:
                book.differ("family-%02x" % family, "linux-generation", "%02x" % number, ours, theirs)


def with_unions(events, answers):
    """And masks that are unions of listed ones of the same event."""
    extra = []
    for codes in answers.generics.values():
        for code in codes:
            parts = [e for e in events if e.code & ~0xff00 == code & ~0xff00 and
                     e.code & 0xff00 and not e.code & 0xff00 & ~code]
            union = 0
            for e in parts:
                union |= e.code
            if union == code:
                extra += [lists.Event(e.name, code) for e in parts]
    return events + extra


def check_power(book, tree, ppc, only):
    for name, (version, pvr) in POWER.items():
        if not fnmatch.fnmatchcase(name, only):
            continue
        linux = linux_ppc.Power(tree, version)
        events = lists.from_json(lists.folder_of(tree, "powerpc", "0x%04x0200" % pvr))
        for e in events:
            e.code &= (1 << 60) - 1
        every = sorted({e.code for e in events} | set(linux.codes.values()))
        answers = Answers([ppc, hex(pvr << 16)], every)
        check_generics(book, name, answers, "linux-generic", linux.generic)
        check_names(book, name, answers, "json-name", events, ~0)
        for stepping, codes in linux.blacklists().items():
            there = Answers([ppc, hex(pvr << 16 | int(stepping[2]) << 8 | int(stepping[3]))], every)
            for code in every:
                book.count("linux-stepping")
                counted = there.counters(code) is not None
                if counted and code in codes:
                    book.differ(name, "linux-" + stepping, "0x%05x" % code, "counted", "never")
                elif not counted and code not in codes and answers.counters(code) is not None:
                    book.differ(name, "linux-" + stepping, "0x%05x" % code, "never", "counted")
        for code, why in sorted(answers.why.items()):
            if code:
                book.differ(name, "refused", "0x%05x" % code, why[:90], "listed")


def main():
    tree, x86, ppc, path = sys.argv[1:5]
    only = (sys.argv + ["*"])[5]
    book = Book(path)
    intel, pfm = linux_x86.Intel(tree), lists.Libpfm()
    check_intel(book, intel, pfm, tree, x86, only)
    check_amd(book, linux_x86.Amd(tree), pfm, tree, x86, only)
    check_power(book, tree, ppc, only)
    for words in book.found:
        print(" ".join(words))
    for words, n, used in book.reasons:
        if not used and only in ("*", words[0]):
            print("stale: line %d, %s" % (n, " ".join(words)))
    for source, n in sorted(book.compared.items()):
        print("# compared", source, n)


if __name__ == "__main__":
    main()
