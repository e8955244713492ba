# SPDX-License-Identifier: GPL-2.0-only
#
# `make help` says what there is. Everything that is made lies in build/.

VM := selftests/vm
BUILD := $(CURDIR)/build
KERNEL ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNEL)/build
PREFIX ?= /usr/local
SECONDS ?= 10
VERSION := $(shell cat VERSION)
MODULE := $(BUILD)/kmod/this/pmcgrp.ko
USERLAND := $(MAKE) --no-print-directory -C user BUILD=$(BUILD) PREFIX=$(PREFIX) VERSION=$(VERSION)

all: $(if $(wildcard $(KDIR)/Makefile),module,no-module) user ## the module and all of user space

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1#/p' Makefile | \
		awk -F '#' '{ printf "  %-16s %s\n", $$1, $$2 }'

module: ## build/kmod/this/pmcgrp.ko: KERNEL=<release> (the running one), KDIR=<headers>
	@$(VM)/kbuild -k $(KDIR)
	@echo "$(MODULE)"

no-module:
	@echo "no module: $(KDIR) has no kernel headers" \
		"(Debian: linux-headers-$(KERNEL)); KDIR=<headers> names others"

user: ## build/pmcgrp, build/libpmcgrp.so, build/libpmcgrp.a
	@$(USERLAND) all

python: ## build/python: the package for Python
	@$(USERLAND) python

python-wheel: ## build/python-wheel: the same for pip
	@$(USERLAND) python-wheel

load: ## insert the module that `make module` built, as root
	@[ -e $(MODULE) ] || { echo "load: $(MODULE) is not built: make module"; exit 1; }
	@insmod $(MODULE) || { kmod/refused $(MODULE); exit 1; }

unload: ## remove the module, as root
	rmmod pmcgrp

install: user ## user space, man pages and headers, to DESTDIR/PREFIX
	@$(USERLAND) install

install-exporter: ## systemd's units for `pmcgrp export`, its dashboard, to DESTDIR/PREFIX
	@$(USERLAND) install-exporter

uninstall: ## remove what these put to DESTDIR/PREFIX
	@$(USERLAND) uninstall

dkms-source: ## build/dkms/pmcgrp-<version>, for `dkms add`
	@rm -rf $(BUILD)/dkms/pmcgrp-$(VERSION)
	@mkdir -p $(BUILD)/dkms/pmcgrp-$(VERSION)
	@cp -r dkms.conf kmod uapi LICENSES $(BUILD)/dkms/pmcgrp-$(VERSION)/
	@echo "$(BUILD)/dkms/pmcgrp-$(VERSION)"

deb: ## Debian packages: build/deb/<version>/*.deb
	@$(VM)/deps deb
	@[ -d $(BUILD)/linux-source ] || $(VM)/fetch --events || \
		echo "deb: no linux-source of Debian: the packages are without perf's tables of events"
	@user/packaging/deb $(BUILD)

events: ## perf's tables of events and metrics, from the newest linux-source that Debian has
	@$(VM)/deps events
	@$(VM)/fetch --events
	@$(USERLAND) share

kernels: deps-check ## build the module against every kernel that Debian has, and print a table: hours
	@$(VM)/kernels

deps: ## install what building module and tool needs from Debian (root or sudo)
	@KERNEL=$(KERNEL) $(VM)/deps build

deps-check: ## install what the tests, the benchmarks and `make style` need, too
	@$(VM)/deps check

doc-html: ## build/html: the pages, the manual and the functions as HTML, by Debian's Sphinx
	@$(VM)/deps html
	@user/doc/html $(BUILD)

demo: ## boot an arm64 machine and compare `pmcgrp stat` with perf_event_open there
	@$(VM)/deps demo || { echo "demo: FAILED: cannot install what is missing"; exit 1; }
	@$(VM)/demo

check: deps-check ## the gate (user/doc/develop.md): unit, style, dkms, perf, core machines
	@$(VM)/check

check-all: deps-check ## the same with nothing left out, on all machines: hours
	@$(VM)/check --all

check-here: module user ## load the module on this machine, test it, remove it: seconds; as root
	@selftests/here

report: ## build/report.md and report.xml (JUnit) from the results that are there
	@$(VM)/report

check-unit: deps-check ## the library's and the tool's unit tests, plain and with sanitizers
	@$(VM)/check --all unit

fuzz: deps-check ## libFuzzer on each parser of user space, SECONDS=<10> each
	@$(USERLAND) SECONDS=$(SECONDS) fuzz

style: deps-check ## checkpatch, clang-format, sparse, coccinelle, shellcheck, layers and others
	@$(VM)/check style

check-dkms: deps-check ## dkms from add to remove, on a Debian 12 of its own
	@$(VM)/check dkms

check-fresh: deps-check ## from a bare Debian 12 to a first count: packages, seconds (root)
	@$(VM)/check fresh

check-deb: deps-check ## Debian packages in a bare Debian 12 and 13: install, count, upgrade, purge (root)
	@$(VM)/check deb

check-secure: deps-check ## the packages on Debian 12 and 13 with UEFI Secure Boot: refused, enrolled, counting (root)
	@$(VM)/check secure

check-perf: deps-check ## two versions of perf(1) read what `pmcgrp record` has written
	@$(VM)/check perf

bench: deps-check ## costs of everything, compared with perf's: a table and build/bench.json
	@selftests/bench/run

bench-curves: deps-check ## how costs grow: fits, and pictures in build/bench-KERNEL/*.svg
	@selftests/bench/run --curves

bench-compare: deps-check ## the same, held against selftests/bench/baseline
	@selftests/bench/run --compare

article: deps-check ## two articles' claims about perf, measured with perf and pmcgrp; build/article.json
	@selftests/article/run

clean: ## what was built; unpacked packages and the results of `make kernels` stay
	find $(BUILD) -mindepth 1 -maxdepth 1 ! -name vm ! -name linux-source ! -name kernels \
		-exec rm -rf {} + 2>/dev/null || :

distclean: ## all of build/; the cache of Debian packages stays
	rm -rf $(BUILD)

.PHONY: all help module no-module user python python-wheel load unload install install-exporter uninstall
.PHONY: dkms-source deb events kernels deps deps-check doc-html demo
.PHONY: check check-all report check-unit fuzz style check-dkms check-fresh check-deb
.PHONY: check-perf check-secure check-here bench bench-curves bench-compare article clean distclean
