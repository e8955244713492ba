# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # variables for those who source this
#
# What the scripts in this folder share: where things are, the table of
# machines, messages. Sourced, never run.

set -euo pipefail

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_dir=$(cd "$vm_dir/../.." && pwd)
build_dir=${PMCGRP_BUILD:-$top_dir/build}
cache_dir=${XDG_CACHE_HOME:-$HOME/.cache}/pmcgrp
# Packages are unpacked here, one tree for each architecture.
root_dir=$build_dir/vm/root

# What a make above this one was told (-j, variables) is not for the makes below.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# modinfo and debootstrap are there, and not everyone's path is.
PATH=$PATH:/usr/sbin:/sbin

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# machine_load NAME: the fields of the table's line become m_<field>.
machine_load()
{
	local line

	line=$(sed 's/#.*//' "$vm_dir/machines" | awk -v name="$1" '$1 == name')
	[ -n "$line" ] || die "no machine '$1'; there are: $(machine_names '' | xargs)"
	read -r m_name m_arch m_suite m_series m_flavour m_smp m_limit m_set m_about \
		m_tests m_qemu <<<"$line"
}

# machine_names [SET]: all, or those of core or more, in the order of the table.
machine_names()
{
	sed 's/#.*//' "$vm_dir/machines" | awk -v set="${1:-}" 'NF && (set == "" || $8 == set) { print $1 }'
}

# debian_mirror: where this host has Debian's packages from.
debian_mirror()
{
	local site

	site=$(apt-get indextargets --format "\$(SITE) \$(COMPONENT) \$(ORIGIN)" \
		'Created-By: Packages' | awk '$2 == "main" && $3 == "Debian" { print $1; exit }')
	[ -n "$site" ] || die "no Debian sources on this host"
	echo "$site"
}

# deb_arch ARCH: Debian's name of an architecture of the table.
deb_arch()
{
	case $1 in
	x86_64) echo amd64 ;;
	*) echo "$1" ;;
	esac
}

# cross_prefix ARCH: what stands before "gcc" to compile for it here.
cross_prefix()
{
	if [ "$1" = "$(uname -m)" ]; then
		return
	fi
	case $1 in
	arm64) echo aarch64-linux-gnu- ;;
	x86_64) echo x86_64-linux-gnu- ;;
	esac
}

# machine_release: the kernel release that `fetch` chose for the machine
# loaded last, e.g. 6.12.117+deb12-cloud-arm64.
machine_release()
{
	cat "$build_dir/vm/kernel/$m_arch-$m_suite-$m_series-$m_flavour"
}

# with_lock NAME COMMAND...: scripts that run side by side (make -j, two
# machines at once) must not unpack or build the same thing at the same time.
with_lock()
{
	local lock=$build_dir/vm/.lock-$1

	shift
	mkdir -p "$build_dir/vm"
	(
		flock -n 9 || { say "waiting for another run to finish its part"; flock 9; }
		"$@"
	) 9>"$lock"
}
