/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * pmcgrp.hpp - libpmcgrp for C++17
 *
 * A class for each object of <pmcgrp.h>, which ends it.  Each can be moved and not copied, and
 * get() gives what the functions of <pmcgrp.h> take.  A failure is thrown as pmcgrpxx::error.
 *
 *	pmcgrpxx::handle handle;
 *	pmcgrpxx::group group(handle, "{cycles,instructions}:u");
 *	work();
 *	for (const auto &member : group.read().members)
 *		std::cout << member.name << ' ' << member.value << '\n';
 */
#ifndef PMCGRP_HPP
#define PMCGRP_HPP

#include <cerrno>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pmcgrp.h>

namespace pmcgrpxx
{

/**
 * class error - a failure: code() is the errno, what() the sentence of pmcgrp_strerror()
 *
 * column() is the character of a text of events that is to blame, from 0; -1: none.
 */
class error : public std::system_error {
public:
	error(int err, const std::string &what, long column = -1)
		: std::system_error(err, std::generic_category(), what), where(column)
	{
	}

	long column() const noexcept
	{
		return where;
	}

private:
	long where;
};

namespace detail
{

struct closer {
	void operator()(struct pmcgrp *h) const noexcept
	{
		pmcgrp_close(h);
	}
	void operator()(struct pmcgrp_events *events) const noexcept
	{
		pmcgrp_events_free(events);
	}
	void operator()(struct pmcgrp_spec *spec) const noexcept
	{
		pmcgrp_spec_free(spec);
	}
	void operator()(struct pmcgrp_group *group) const noexcept
	{
		pmcgrp_group_close(group);
	}
};

template <typename object> using owned = std::unique_ptr<object, closer>;

inline void check(int ret, const char *what)
{
	if (ret < 0)
		throw error(-ret, what);
}

} /* namespace detail */

/** class handle - pmcgrp_open() */
class handle {
public:
	explicit handle(unsigned int flags = 0)
	{
		struct pmcgrp *h = nullptr;
		int ret = pmcgrp_open(&h, flags);

		if (ret < 0)
			throw error(-ret, pmcgrp_strerror(nullptr));
		object.reset(h);
	}

	struct pmcgrp *get() const noexcept
	{
		return object.get();
	}

private:
	detail::owned<struct pmcgrp> object;
};

/** class events - a list of events: pmcgrp_events_parse() */
class events {
public:
	explicit events(const std::string &text, unsigned int flags = 0)
	{
		struct pmcgrp_events *list = nullptr;

		detail::check(pmcgrp_events_new(&list), "events");
		object.reset(list);
		add(text, flags);
	}

	void add(const std::string &text, unsigned int flags = 0)
	{
		struct pmcgrp_events_error why = {};
		int ret = pmcgrp_events_add(object.get(), text.c_str(), flags, &why);

		if (ret == -EINVAL)
			throw error(EINVAL, why.text, static_cast<long>(why.column));
		detail::check(ret, "events");
	}

	unsigned int size() const noexcept
	{
		return pmcgrp_events_nr(object.get());
	}

	unsigned int groups() const noexcept
	{
		return pmcgrp_events_nr_groups(object.get());
	}

	/** at - an event, valid until the next add(); std::out_of_range: there is none */
	const struct pmcgrp_event &at(unsigned int i) const
	{
		const struct pmcgrp_event *event = pmcgrp_events_at(object.get(), i);

		if (!event)
			throw std::out_of_range("pmcgrpxx::events::at");
		return *event;
	}

	struct pmcgrp_events *get() const noexcept
	{
		return object.get();
	}

private:
	detail::owned<struct pmcgrp_events> object;
};

/** class spec - what a group shall be; each function returns the spec */
class spec {
public:
	spec()
	{
		struct pmcgrp_spec *s = nullptr;

		detail::check(pmcgrp_spec_new(&s), "spec");
		object.reset(s);
	}

	spec &task(pid_t tid)
	{
		detail::check(pmcgrp_spec_set_task(object.get(), tid), "spec: task");
		return *this;
	}

	spec &process(pid_t pid)
	{
		detail::check(pmcgrp_spec_set_process(object.get(), pid), "spec: process");
		return *this;
	}

	spec &cpu(int number)
	{
		detail::check(pmcgrp_spec_set_cpu(object.get(), number), "spec: cpu");
		return *this;
	}

	spec &all_cpus()
	{
		detail::check(pmcgrp_spec_set_all_cpus(object.get()), "spec: all_cpus");
		return *this;
	}

	spec &cgroup(int directory)
	{
		detail::check(pmcgrp_spec_set_cgroup(object.get(), directory), "spec: cgroup");
		return *this;
	}

	spec &flags(std::uint64_t bits)
	{
		detail::check(pmcgrp_spec_set_flags(object.get(), bits), "spec: flags");
		return *this;
	}

	spec &add(const struct perf_event_attr &attr, const char *name = nullptr)
	{
		detail::check(pmcgrp_spec_add(object.get(), &attr, name), "spec: add");
		return *this;
	}

	spec &add(const events &list, unsigned int group = 0)
	{
		detail::check(pmcgrp_spec_add_events(object.get(), list.get(), group), "spec: add");
		return *this;
	}

	struct pmcgrp_spec *get() const noexcept
	{
		return object.get();
	}

private:
	detail::owned<struct pmcgrp_spec> object;
};

/** struct values - what a group has counted; times in ns */
struct values {
	struct member {
		std::string name;
		std::uint64_t value;
		std::uint64_t id;
	};

	std::uint64_t time_enabled = 0;
	std::uint64_t time_running = 0;
	std::vector<member> members;
};

/** class group - pmcgrp_group_create(), pmcgrp_group_open(), pmcgrp_groups_open() */
class group {
public:
	group(const handle &h, const spec &what)
	{
		struct pmcgrp_group *g = nullptr;
		int ret = pmcgrp_group_create(h.get(), what.get(), &g);

		take(h, ret, g);
	}

	/* The calling thread is counted. */
	group(const handle &h, const std::string &text)
	{
		struct pmcgrp_group *g = nullptr;
		int ret = pmcgrp_group_open(h.get(), text.c_str(), nullptr, &g);

		take(h, ret, g);
	}

	group(const handle &h, const std::string &text, const spec &target)
	{
		struct pmcgrp_group *g = nullptr;
		int ret = pmcgrp_group_open(h.get(), text.c_str(), target.get(), &g);

		take(h, ret, g);
	}

	/** open_all - a group for each that the text names; the calling thread is counted */
	static std::vector<group> open_all(const handle &h, const std::string &text)
	{
		return open_all(h, text, nullptr);
	}

	static std::vector<group> open_all(const handle &h, const std::string &text,
					   const spec &target)
	{
		return open_all(h, text, target.get());
	}

	void enable()
	{
		detail::check(pmcgrp_group_enable(object.get()), "group: enable");
	}

	void disable()
	{
		detail::check(pmcgrp_group_disable(object.get()), "group: disable");
	}

	void reset()
	{
		detail::check(pmcgrp_group_reset(object.get()), "group: reset");
	}

	unsigned int size() const noexcept
	{
		return pmcgrp_group_nr(object.get());
	}

	/** read - the counts of all members at one instant: one system call, or none */
	values read()
	{
		std::uint64_t format = pmcgrp_group_read_format(object.get());
		std::vector<unsigned char> bytes(pmcgrp_read_size(format, size()));
		struct pmcgrp_view view;
		ssize_t len = pmcgrp_group_read(object.get(), bytes.data(), bytes.size());
		values result;

		if (len < 0)
			throw error(static_cast<int>(-len), "group: read");
		detail::check(pmcgrp_view_init(&view, bytes.data(), static_cast<std::size_t>(len),
					       format),
			      "group: read");
		pmcgrp_view_time_enabled(&view, &result.time_enabled);
		pmcgrp_view_time_running(&view, &result.time_running);
		for (unsigned int i = 0; i < pmcgrp_view_nr(&view); i++) {
			const char *name = pmcgrp_group_name(object.get(), i);

			result.members.push_back({ name ? name : "", pmcgrp_view_value(&view, i),
						   pmcgrp_view_id(&view, i) });
		}
		return result;
	}

	struct pmcgrp_group *get() const noexcept
	{
		return object.get();
	}

private:
	explicit group(struct pmcgrp_group *g) : object(g)
	{
	}

	static std::vector<group> open_all(const handle &h, const std::string &text,
					   const struct pmcgrp_spec *target)
	{
		struct pmcgrp_group **all = nullptr;
		int nr = pmcgrp_groups_open(h.get(), text.c_str(), target, &all);
		std::vector<group> result;

		if (nr < 0)
			throw error(-nr, pmcgrp_strerror(h.get()));
		try {
			result.reserve(static_cast<std::size_t>(nr));
		} catch (...) {
			pmcgrp_groups_close(all, static_cast<unsigned int>(nr));
			throw;
		}
		for (int i = 0; i < nr; i++)
			result.push_back(group(std::exchange(all[i], nullptr)));
		pmcgrp_groups_close(all, static_cast<unsigned int>(nr));
		return result;
	}

	void take(const handle &h, int ret, struct pmcgrp_group *g)
	{
		if (ret < 0)
			throw error(-ret, pmcgrp_strerror(h.get()));
		object.reset(g);
	}

	detail::owned<struct pmcgrp_group> object;
};

} /* namespace pmcgrpxx */

#endif
