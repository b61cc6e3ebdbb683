# SPDX-License-Identifier: GPL-2.0
#
# pev: performance events for Linux 6.12. `make help` lists what there is.
# Every command installs and builds what it needs on its own.

ARCH   ?= x86_64
FLAVOR ?= plain
BUILD  ?= build
JOBS   ?= $(shell nproc)

# CMD is shell text, not make text: taken as it was typed, dollars and all,
# and kept away from every other way by which make would expand it.
ifneq ($(origin CMD),undefined)
export PEV_VM_CMD := $(value CMD)
VM_ARGS := "$$PEV_VM_CMD"
endif
unexport CMD
MAKEOVERRIDES =

MAKEFLAGS += --no-print-directory
override BUILD := $(abspath $(BUILD))
export ARCH FLAVOR BUILD JOBS
export LINUX_SRC KDIR SMP MEM CPU MACHINE PMU SKID ICOUNT MTTCG KARGS QEMU QEMU_ARGS
export VM_TIMEOUT VM_RESETS VM_ROOT VM_SHARES SAMPLES BENCH SUITES DURATION V

SETUP  := scripts/setup.sh
# Standard output belongs to the command that runs in a machine.
SUBMAKE = $(MAKE) -s >&2

CROSS_x86_64  :=
CROSS_ppc64le := powerpc64le-linux-gnu-
CROSS_arm64   := aarch64-linux-gnu-
CROSS         := $(CROSS_$(ARCH))

.PHONY: help setup setup-perfctl kernel module vm vm-deps vm-machine root perfctl harness selftests run test stress bench fuzz fuzz-kernel coverage lint clean \
	install uninstall deb
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#: //p' $(firstword $(MAKEFILE_LIST))

#: make run         record a real workload with perfctl in a virtual machine and print the
#:                  report: on Debian's own kernel, with pev as a module; KERNEL=patched
#:                  builds a kernel with pev in it, and records there
KERNEL ?= $(if $(filter file,$(origin FLAVOR)),stock,patched)
ifneq ($(filter run,$(MAKECMDGOALS)),)
ifneq ($(filter-out patched stock,$(KERNEL)),)
$(error KERNEL=$(KERNEL) is neither patched nor stock)
endif
export RUN_BEGAN := $(shell date +%s)
export RUN_STATE := $(if $(wildcard $(BUILD)/x86_64/run-before),warm,cold)
ifeq ($(KERNEL),stock)
override FLAVOR := stock
PARTS := perfctl run
endif
endif
run: vm-deps $(if $(filter stock,$(KERNEL)),module)
	@scripts/run-demo.sh

#: make test        every test; SUITES="name ..." only these
# JOBS is a limit if it was asked for.
test: setup
	@$(if $(filter file,$(origin JOBS)),env -u JOBS) tests/run

#: make stress      ten minutes of counters, samples, forks and hotplug at once, two million
#:                  records a second, what make test leaves out, and the tests watched for data races
#:                  and on a kernel with PREEMPT_RT,
#:                  the tests, the fuzzer and hostile guests on a ppc64le kernel with KASAN and
#:                  lockdep, what the fuzzer reaches,
#:                  perfctl on Debian's Linux 6.1 and on arm64, the bounds of multiplexed values,
#:                  a million marks of programs around system calls, pev.ko unloaded
#:                  200 times, and on Debian's 6.1 and its other 6.12 kernels; DURATION=seconds
stress: setup
	@DURATION=$${DURATION:-600} PEV_LONG=1 tests/run kselftest-debug module-x86 kselftest-ppc cli pmu-x86 pmu-ppc guests-ppc fuzz-debug counters-x86 bound stress-x86 flood-x86 guests-long-x86 guests-debug guests-debug-ppc shuffle-x86 brackets-x86 fuzz-debug-ppc kselftest-debug-ppc coverage-x86 kselftest-race kselftest-rt stock-x86 stock-6.1-x86 stock-5.10-x86 stock-arm64 module-cloud module-rt module-6.1-x86 module-ppc module-arm64 deb-6.1 reload-long-x86

#: make vm CMD='..' run a command in the machine (no CMD: a shell)
#:                  ARCH=ppc64le SMP=2 MEM=2G FLAVOR=debug|race|rt|cover KARGS=.. FLAVOR=stock|stock-cloud|stock-rt|stock-6.1|stock-5.10
#:                  ARCH=arm64 FLAVOR=stock
#:                  VM_TIMEOUT=600 NOBUILD=1 ICOUNT=1
#:                  PMU=intel-v2|intel-v4|intel-v5|amd|amd-v2|power8|power9|power10
#:                  an emulator with a PMU that counts exactly; SKID=n MTTCG=1
vm: $(if $(NOBUILD),,vm-deps)
	@tests/qemu/vm $(VM_ARGS)

# A shell for a machine without perfctl is better than none.
vm-deps: vm-machine perfctl

vm-machine: kernel root
	@scripts/initrd.sh $(ARCH) $(BUILD)/$(ARCH) >&2

#: make kernel      the kernel with pev: ARCH=x86_64|ppc64le FLAVOR=plain|debug|race|rt|cover,
#:                  or Debian's own: FLAVOR=stock|stock-cloud|stock-rt|stock-6.1|stock-5.10; ARCH=arm64
#:                  has FLAVOR=stock alone
#:                  LINUX_SRC=dir takes a 6.12 tree of yours, BUILD=dir builds there
kernel: setup
	@scripts/$(if $(filter stock%,$(FLAVOR)),stock-kernel,kernel).sh build >&2

#: make module      pev.ko for Debian's own 6.12, in BUILD/ARCH/module: ARCH=x86_64|ppc64le|
#:                  arm64; for another of its kernels FLAVOR=stock-cloud|stock-rt|stock-6.1, in
#:                  module-cloud|rt|6.1
#:                  KDIR=directory takes the headers of another kernel
module: setup
	@scripts/module.sh build >&2

root: setup
ifneq ($(CROSS),)
	@scripts/cross-root.sh make >&2
endif

#: make perfctl     the tool and libpev: ARCH=x86_64|ppc64le|arm64
ifneq ($(wildcard tools/perfctl/Makefile),)
perfctl: $(if $(CROSS),root,setup-perfctl)
	@mkdir -p $(BUILD)/$(ARCH)/tools
	@$(SUBMAKE) -C tools/perfctl O=$(BUILD)/$(ARCH)/tools CROSS_COMPILE=$(CROSS) \
		SYSROOT=$(if $(CROSS),$$(scripts/cross-root.sh path)) -j$(JOBS)
else
perfctl:
	@echo "perfctl: tools/perfctl is not there yet: nothing to build" >&2
endif

#: make install     perfctl, libpev, the Python module and the manual: DESTDIR=
#:                  PREFIX=/usr/local LIBDIR=; make uninstall takes them away
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# INSTALL: into which directory
INSTALL = for part in perfctl lib/pev lib/pev-sym python; do \
		$(MAKE) -s -C tools/$$part install prefix=$(PREFIX) libdir=$(LIBDIR) DESTDIR=$(1) \
			$(foreach v,docdir zshdir pythondir,$(if $($v),$v=$($v))) \
			O=$(TOOLS)$$(case $$part in lib/pev-sym) echo /libpev-sym ;; lib/*) echo /libpev ;; esac) \
			CROSS_COMPILE=$(CROSS) SYSROOT=$(if $(CROSS),$$(scripts/cross-root.sh path)) >&2 || exit 1; \
	done
TOOLS = $(BUILD)/$(ARCH)/tools

install: $(if $(NOBUILD),,perfctl)
	@$(call INSTALL,$(abspath $(DESTDIR)))
	@[ -n "$(DESTDIR)" ] || ldconfig

# What would be installed is what goes.
uninstall:
	@list=$$(mktemp -d) && trap 'rm -rf "$$list"' EXIT && \
	$(call INSTALL,$$list) && \
	(cd $$list && find . ! -type d) | (cd $(or $(DESTDIR),/) && xargs rm -f) && \
	(cd $$list && find . -depth -type d -path '*/pev*') | (cd $(or $(DESTDIR),/) && \
		xargs rmdir --ignore-fail-on-non-empty) && \
	[ -n "$(DESTDIR)" ] || ldconfig

#: make deb         Debian packages of them and of pev.ko, in BUILD/deb: ARCH=
#:                  KERNEL=patched adds linux-image-*-pev, of what "make kernel" builds: FLAVOR=
PACK_KERNEL := $(if $(filter patched,$(KERNEL)),$(filter-out file,$(firstword $(origin KERNEL))))
deb: root $(if $(PACK_KERNEL),kernel)
	@scripts/deb/build >&2
	@$(if $(PACK_KERNEL),scripts/deb/image >&2)

# kselftest's harness comes with the kernel; for arm64 none is built
ifeq ($(ARCH),arm64)
harness: setup
	@ARCH=x86_64 scripts/kernel.sh source >&2
HARNESS := $(BUILD)/linux/tools/testing/selftests
else
harness: kernel
HARNESS := $(BUILD)/$(ARCH)/kernel-$(FLAVOR)/kselftest
endif

#: make selftests   the kselftest programs: ARCH=
selftests: harness
	@$(SUBMAKE) -f scripts/selftests.mk O=$(BUILD)/$(ARCH)/selftests -j$(JOBS) \
		HARNESS=$(HARNESS) CROSS_COMPILE=$(CROSS)

#: make bench       pev beside perf, ftrace, bpftrace and LTTng; BENCH="cost pmu" only these of
#:                  report, picture, unwind, native, stream, cost, pmu, limits, others, waits,
#:                  probes, tables, context, clients, user and module; FLAVOR=stock measures pev.ko
bench: $(if $(filter-out report picture unwind native stream module,$(or $(BENCH),all)),vm-deps)
	@tests/bench/run

#: make fuzz        the fuzz targets of tests/fuzz for long: FUZZ_SECONDS=600,
#:                  FUZZ="target ..." only these
fuzz: setup
	@O=$(BUILD)/tests/fuzz tests/fuzz/run $(or $(FUZZ_SECONDS),600)

#: make fuzz-kernel the fuzzer of the system call for long, in the debugging kernel, with a
#:                  corpus that is kept and a report of what was reached: HOURS=1
#:                  MINUTES= ARCH= FLAVOR=plain (debug, unless given)
fuzz-kernel: setup
	@FUZZ_FLAVOR=$(if $(filter file,$(origin FLAVOR)),debug,$(FLAVOR)) MINUTES=$(or $(MINUTES),$$(($(or $(HOURS),1) * 60))) tests/fuzz/syscall/long

#: make coverage    which lines of pev the fuzzer of the system call and hostile guests reach, by
#:                  gcov, on machines with and without a PMU: BUILD/coverage/report ends with
#:                  those that they don't; COVERAGE_SECONDS=180 in each of three machines
coverage: setup
	@tests/run coverage-x86; status=$$?; sed '/^$$/q' $(BUILD)/coverage/report && exit $$status

#: make lint        checkpatch, sparse, W=1, codespell, shellcheck
lint: setup
	@scripts/lint.sh

setup:
	@$(SETUP) $(PARTS)

# The command alone takes neither emulators nor another kernel.
setup-perfctl:
	@$(SETUP) perfctl

#: make clean       remove $(BUILD); the caches in ~/.cache/pev stay
clean:
	rm -rf $(BUILD)
