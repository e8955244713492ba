# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # variables for, and of, those who source this
#
# Debian packages, for the scripts in this folder. Sourced behind lib.sh, never run.
#
# apt verifies every package, and runs on a configuration of its own: this
# host's sources and keys, but separate lists, an empty status and two
# architectures. Nothing of the host's own package state changes. Packages stay
# in $XDG_CACHE_HOME/pmcgrp, so that later runs need no network.

debs=$cache_dir/debs

# Where Debian has kernels and their sources: one list of packages each.
kernel_suites="bookworm+bookworm-security bookworm-backports trixie+trixie-security trixie-backports
	sid experimental"

# apt_setup SUITE: writes the private configuration and sets apt_conf.
apt_setup()
{
	local suite=$1 dir=$cache_dir/apt-$1

	apt_conf=$dir/apt.conf
	apt_fresh=$dir/fresh
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/state" "$debs"
	# A newer one would make apt read all lists anew.
	[ -e "$dir/status" ] || : >"$dir/status"
	# Read after the host's own configuration (-c), hence the clearing.
	cat >"$apt_conf" <<-CONF
		#clear APT::Architectures;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; "arm64"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Dir::State "$dir/state";
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "srcpkgcache.bin";
	CONF
	case $suite in
	host | source | source-*) ;;	# whose lists the caller writes
	*) apt_other_suite "$suite" "$dir" ;;
	esac
}

# A suite that this host does not use, or several joined by `+`: from the host's own mirror of
# Debian. Security updates are at <mirror>-security.
apt_other_suite()
{
	local site part

	site=$(debian_mirror)
	mkdir -p "$2/none"
	for part in ${1//+/ }; do
		case $part in
		*-security) echo "deb ${site%/}-security $part main" ;;
		*) echo "deb $site $part main" ;;
		esac
	done >"$2/sources.list"
	cat >>"$apt_conf" <<-CONF
		Dir::Etc::sourcelist "$2/sources.list";
		Dir::Etc::sourceparts "$2/none";
	CONF
}

# The lists are refreshed once a day, and when a package that they name is gone.
apt_refresh()
{
	if [ "${1:-}" != force ] && [ -n "$(find "$apt_fresh" -mmin -1440 2>/dev/null)" ]; then
		return
	fi
	say "refreshing the package lists"
	if apt-get -c "$apt_conf" -q -q update -o APT::Update::Error-Mode=any >&2; then
		touch "$apt_fresh"
	elif [ -e "$apt_fresh" ]; then
		say "cannot refresh the package lists; going on with those of $(date -r "$apt_fresh" +%F)"
	else
		die "no package lists, and none to be had"
	fi
}

# get PACKAGE[:ARCH]...: leaves the .deb files in the cache; prints their paths.
get()
{
	local want file package
	local -a missing=() files=()

	for package in "$@"; do
		# apt's own name for the file: the version's colon is written as %3a.
		want=$(apt-cache -c "$apt_conf" show --no-all-versions "$package" 2>/dev/null |
			awk '/^Package:/ { p = $2 } /^Version:/ { v = $2 } /^Architecture:/ { a = $2 }
			     END { gsub(":", "%3a", v); if (p) print p "_" v "_" a ".deb" }')
		[ -n "$want" ] || { say "no package $package"; return 1; }
		file=$debs/$want
		files+=("$file")
		[ -e "$file" ] || missing+=("$package")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		say "downloading ${missing[*]}"
		# Another checkout's run may be fetching, too; one that was killed left its folder.
		find "$debs" -maxdepth 1 -name 'partial.*' -mtime +0 -exec rm -rf {} +
		rm -rf "$debs/partial.$$"
		mkdir -p "$debs/partial.$$"
		(cd "$debs/partial.$$" && apt-get -c "$apt_conf" -q -q download "${missing[@]}" >&2) ||
			{ rm -rf "$debs/partial.$$"; return 1; }
		mv "$debs/partial.$$"/*.deb "$debs/"
		rmdir "$debs/partial.$$"
	fi
	for file in "${files[@]}"; do
		[ -e "$file" ] || { say "apt did not leave ${file##*/}"; return 1; }
		echo "$file"
	done
}

# unpack ROOT DEB [PATHS...]: once; only the paths named, if any are. Its callers ask whether it
# has worked: set -e is off in what they are called by.
unpack()
{
	local root=$1 deb=$2 mark

	shift 2
	mark=$root/.unpacked/${deb##*/}
	[ -e "$mark" ] && return
	mkdir -p "$root/.unpacked"
	say "unpacking ${deb##*/}"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --no-same-owner "$@" || return 1
	touch "$mark"
}

# depends PACKAGE NAME: the one package it depends on whose name starts so.
depends()
{
	apt-cache -c "$apt_conf" show --no-all-versions "$1" 2>/dev/null |
		sed -n 's/^Depends: //p' | tr ',' '\n' | awk -v name="$2" 'index($1, name) == 1 { print $1 }'
}

# headers_get PACKAGE:ARCH ROOT HOST: the headers of a kernel with what they need to build, unpacked
# into ROOT; scripts of all architectures and tools, which run on this host, into HOST.
headers_get()
{
	local package=$1 root=$2 host=$3 name common tools deb files

	name=${package%:*}
	common=$(depends "$package" linux-headers-)
	tools=$(depends "$package" linux-kbuild-)
	files=$(get "$package" "$common" "$tools:amd64") || return 1
	for deb in $files; do
		case ${deb##*/} in
		"$common"_*) unpack "$host" "$deb" ./usr/src ;;
		"$tools"_*) unpack "$host" "$deb" ./usr ;;
		*) unpack "$root" "$deb" ./usr/src ;;
		esac || return 1
	done
	# The host's build tools serve both architectures.
	if [ "$root" != "$host" ]; then
		mkdir -p "$root/usr/lib"
		ln -sfn "$host/usr/src/$common" "$root/usr/src/$common"
		ln -sfn "$host/usr/lib/$tools" "$root/usr/lib/$tools"
	fi
	# Debian's Makefile there is a line or two with absolute paths.
	sed -i "s|\([= ]\)/usr/src/|\1$root/usr/src/|" "$root/usr/src/$name/Makefile"
}
