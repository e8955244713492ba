// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * More events than there are counters, in a program of google/benchmark. The benchmarks run once for
 * each pass of the planner, and one report has what every event has counted in an iteration: no value
 * is scaled up, and none is of a part of the time.
 *
 *	g++ -O2 benchmark.cc $(pkg-config --cflags --libs libpmcgrp benchmark) -pthread
 *	sudo ./a.out instructions:u,branches:u,branch-misses:u --benchmark_filter=sort
 */
#include <err.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>
#include <pmcgrp.h>
#include <pmcgrp_plan.h>

/* What is counted, and which pass this is. */
static struct {
	struct pmcgrp *h;
	struct pmcgrp_events *events;
	struct pmcgrp_plan_passes passes;
	unsigned int pass;
} plan;

static void must(const struct pmcgrp *h, long ret)
{
	if (ret < 0)
		errx(1, "%s", *pmcgrp_strerror(h) ? pmcgrp_strerror(h) : strerror(static_cast<int>(-ret)));
}

static void make_plan(void)
{
	int ret = pmcgrp_plan_events(&plan.passes, plan.h, plan.events, 1000000);

	if (ret)
		errx(1, "%s", *plan.passes.why ? plan.passes.why : strerror(-ret));
	if (plan.passes.misfit < pmcgrp_events_nr_groups(plan.events)) {
		unsigned int first = pmcgrp_events_group(plan.events, plan.passes.misfit)->first;

		errx(1, "%s: %s", pmcgrp_events_at(plan.events, first)->name, plan.passes.why);
	}
}

/* Counts what this thread does while it is there: make one right before a benchmark's loop. */
class counted {
public:
	explicit counted(benchmark::State &s) : state(s)
	{
		for (unsigned int i = 0; i < pmcgrp_events_nr_groups(plan.events); i++) {
			if (plan.passes.pass[i] == plan.pass)
				groups.push_back({ open(i), pmcgrp_events_group(plan.events, i)->first });
		}
		for (const auto &group : groups)
			must(nullptr, pmcgrp_group_enable(group.counters));
	}

	~counted()
	{
		for (const auto &group : groups)
			must(nullptr, pmcgrp_group_disable(group.counters));
		for (const auto &group : groups) {
			read(group);
			pmcgrp_group_close(group.counters);
		}
	}

	counted(const counted &) = delete;
	counted &operator=(const counted &) = delete;

private:
	struct open_group {
		struct pmcgrp_group *counters;
		unsigned int first; /* of its events */
	};

	static struct pmcgrp_group *open(unsigned int number)
	{
		struct pmcgrp_group *group;
		struct pmcgrp_spec *spec;
		struct pmcgrp *h; /* each thread's own */

		must(nullptr, pmcgrp_open(&h, PMCGRP_OPEN_FALLBACK));
		must(h, pmcgrp_spec_new(&spec));
		must(h, pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED));
		must(h, pmcgrp_spec_add_events(spec, plan.events, number));
		must(h, pmcgrp_group_create(h, spec, &group));
		pmcgrp_spec_free(spec);
		pmcgrp_close(h);
		return group;
	}

	void read(const open_group &group)
	{
		std::uint64_t enabled = 0, running = 0, words[3 + 2 * PMCGRP_MEMBERS_MAX];
		struct pmcgrp_view view;
		ssize_t len = pmcgrp_group_read(group.counters, words, sizeof(words));

		must(nullptr, len);
		must(nullptr, pmcgrp_view_init(&view, words, static_cast<size_t>(len),
					       pmcgrp_group_read_format(group.counters)));
		pmcgrp_view_time_enabled(&view, &enabled);
		pmcgrp_view_time_running(&view, &running);
		for (size_t i = 0; i < pmcgrp_view_nr(&view); i++) {
			const char *name = pmcgrp_events_at(plan.events, group.first + i)->name;

			if (running < enabled)
				errx(1, "%s: somebody else counts, too: for %.1f %% of the time it had no counter",
				     name, 100. - 100. * running / enabled);
			state.counters[name] = benchmark::Counter(pmcgrp_view_value(&view, i),
								  benchmark::Counter::kAvgIterations);
		}
	}

	benchmark::State &state;
	std::vector<open_group> groups;
};

/* Gathers the runs of all passes, which come in the same order, and reports each once. */
class all_passes : public benchmark::BenchmarkReporter {
public:
	bool ReportContext(const Context &context) override
	{
		at = 0;
		return plan.pass || shown->ReportContext(context);
	}

	void ReportRuns(const std::vector<Run> &runs) override
	{
		if (at == gathered.size())
			gathered.push_back(runs);
		for (size_t i = 0; i < runs.size(); i++)
			gathered[at][i].counters.insert(runs[i].counters.begin(), runs[i].counters.end());
		at++;
	}

	void report()
	{
		for (const auto &runs : gathered)
			shown->ReportRuns(runs);
		shown->Finalize();
	}

private:
	benchmark::BenchmarkReporter *shown = benchmark::CreateDefaultDisplayReporter();
	std::vector<std::vector<Run>> gathered;
	size_t at = 0;
};

/* ---- What is measured ---- */

static void sum(benchmark::State &state)
{
	std::vector<std::uint32_t> cells(state.range(0), 1);
	counted here(state);

	for (auto _ : state)
		benchmark::DoNotOptimize(std::accumulate(cells.begin(), cells.end(), 0u));
}
BENCHMARK(sum)->Arg(4096);

static void sort(benchmark::State &state)
{
	std::vector<std::uint32_t> cells(state.range(0)), copy;
	std::uint32_t seed = 1;

	for (auto &cell : cells)
		cell = seed = seed * 1664525 + 1013904223;
	counted here(state);

	for (auto _ : state) {
		copy = cells;
		std::sort(copy.begin(), copy.end());
		benchmark::DoNotOptimize(copy.data());
	}
}
BENCHMARK(sort)->Arg(1024);

int main(int argc, char **argv)
{
	static const char usual[] = "cycles:u,instructions:u,branches:u,branch-misses:u,L1-dcache-loads:u,"
				    "L1-dcache-load-misses:u,dTLB-load-misses:u,cache-references:u,cache-misses:u";
	struct pmcgrp_events_error error;
	const char *text;

	benchmark::Initialize(&argc, argv);
	text = argc > 1 ? argv[1] : usual;
	if (pmcgrp_events_parse(&plan.events, text, 0, &error))
		errx(1, "%s", error.text);
	must(nullptr, pmcgrp_open(&plan.h, PMCGRP_OPEN_FALLBACK));
	make_plan();
	warnx("%u events, passes: %u", pmcgrp_events_nr(plan.events), plan.passes.nr);

	/* It reports as the options say, so it comes behind them. */
	all_passes all;

	for (plan.pass = 0; plan.pass < plan.passes.nr; plan.pass++)
		benchmark::RunSpecifiedBenchmarks(&all);
	all.report();
	benchmark::Shutdown();
	free(plan.passes.pass);
	pmcgrp_events_free(plan.events);
	pmcgrp_close(plan.h);
}
