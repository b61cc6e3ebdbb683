# SPDX-License-Identifier: GPL-2.0
"""Judges what outside-ppc.sh has measured, by what the guests and KVM say of themselves: what there is to say of WHAT
is in WHAT.judged then, and WHAT.wrong is there if it is wrong.

usage: outside_ppc.py WHAT...    of list, stat, exits, guests, user, kernel and timeline
"""
import contextlib
import json
import os
import re
import sys
import traceback

NAMES = ("user", "kernel")


def text(path):
    with open(path) as f:
        return f.read()


def machines():
    found = {m["name"]: m for m in json.loads(text("list"))}
    assert set(found) == set(NAMES), found
    return found


def pid(name):
    return machines()[name]["pid"]


def near(what, got, wanted, off):
    print(f"{what}: {got:.3f}, by the other account {wanted:.3f}")
    assert abs(got - wanted) <= off, f"{what} is more than {off} off"


def judge_list():
    for m in machines().values():
        (vcpu,) = m["vcpus"]
        assert m["comm"].startswith("qemu-system-ppc") and m["machines"] == 1, m
        assert vcpu["vcpu"] == 0 and vcpu["tid"] not in (0, m["pid"]), m


def judge_stat():
    rows = [line.split(",") for line in text("stat").splitlines()]
    (clock,) = [r for r in rows if r[2:3] == ["cpu-clock"]]
    got = json.loads(text("exits"))
    outside = sum(g["ns"] for g in got["guests"]) / 1e9 / got["seconds"]
    # a busy host is not the same all the time
    near("processors in guests", float(clock[0]) / 2000, len(NAMES) - outside, 0.6)


def judge_exits():
    got = json.loads(text("exits"))
    assert {g["pid"] for g in got["guests"]} == {pid(n) for n in NAMES}, got
    assert got["lost"] == got["other"] == got["dropped"] == 0, got
    rows = [r for g in got["guests"] for r in g["reasons"]]
    assert all(not r["reason"].startswith("reason ") for r in rows), rows
    assert {"h_decrementer", "hypercall"} <= {r["reason"] for r in rows}, rows
    # KVM counts those that it has a trap of; perfctl begins before the command, and ends after it
    traps = sum(r["exits"] for r in rows if r["code"])
    said = int(text("sum1")) - int(text("sum0"))
    print(f"{traps} exits, of which KVM counted {said} meanwhile")
    assert 100 < said <= traps + got["outside"] <= 2 * said, traps


def samples_by():
    """Samples by guest, object and function."""
    found = {}
    for line in text("report").splitlines():
        row = re.match(r" +[0-9.]+% +([0-9,]+)  of (\d+) +\[guest\.(\w+)\] +\[g\] (\S+)", line)
        if row:
            key = int(row[2]), row[3], row[4]
            found[key] = found.get(key, 0) + int(row[1].replace(",", ""))
    return found


def samples_of(name, wanted=lambda level, function: True):
    return sum(n for (guest, level, function), n in samples_by().items()
               if guest == pid(name) and wanted(level, function))


def in_user(name):
    """The share of user mode in a guest's samples"""
    return samples_of(name, lambda level, _: level == "user") / samples_of(name)


def judge_guests():
    samples = int(re.search(r"cpu-clock: ([0-9,]+) samples", text("report"))[1].replace(",", ""))
    print(f"{samples} samples")
    assert samples > 500
    user, kernel = samples_of("user"), samples_of("kernel")
    near("of the first guest", user / samples, 0.5, 0.2)
    assert user + kernel == samples, kernel


def account(name):
    """The share of user mode in what the guest's processor did."""
    lines = [[int(n) for n in line.split()[1:]] for line in text(name).splitlines()
             if line.startswith("account ")]
    user, nice, system, _, _, irq, softirq = [b - a for a, b in zip(lines[0], lines[-1])][:7]
    assert user + system > 300, lines
    return (user + nice) / (user + nice + system + irq + softirq)


# Entries and ticks cost the guest's kernel some time, which the guest does not see, and what expires
# while the guest is left may be taken as soon as it is entered again, which most often is in its
# kernel. The busier the host, the more of that there is: what the guest says is no more than near.
def judge_user():
    loop = int(os.environ["SPIN"], 0)
    in_loop = samples_of("user", lambda level, function: level == "user" and
                         function.startswith("0x") and loop <= int(function, 16) < loop + 64)
    near("in the loop, of user mode",
         in_loop / samples_of("user", lambda level, _: level == "user"), 1, 0.2)
    share, said = in_user("user"), account("user")
    print(f"in user mode: {share:.3f}, by the other account {said:.3f}")
    assert said / 2 <= share <= said + 0.1, "that is not near"


def judge_kernel():
    own = re.search("^own (.*)", text("kernel"), re.M)[1]
    assert text("same").split()[2:] == [own], text("same")
    # where the guest's interrupts are off it sees nothing of itself, and so the first may be another here
    for name, fewest, most in ("kernel", 0.1, 1), ("user", 0, 0.01):
        share = samples_of(name, lambda level, function: (level, function) == ("kernel", own)) / samples_of(name)
        print(f"{own} has {share:.3f} of the samples of the guest {name}")
        assert fewest <= share <= most, share
    near("in user mode", in_user("kernel"), account("kernel"), 0.3)


def judge_timeline():
    for name in NAMES:
        assert re.search(rf"^ +vCPU 0 of {pid(name)} .*#", text("timeline"), re.M), text("timeline")


for what in sys.argv[1:]:
    with open(what + ".judged", "w") as said, contextlib.redirect_stdout(said):
        try:
            globals()["judge_" + what]()
        except Exception:  # also what is missing, or in another form
            traceback.print_exc(file=said)
            open(what + ".wrong", "w").close()
