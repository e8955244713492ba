// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// What the summary says, in tables: numbers to the right, in columns that scroll by themselves.
report.tables = (function () {
	const units = report.units,
		make = report.make,
		summary = report.summary;
	const ROWS = 50;

	function table(title, heads, rows, more) {
		const body = rows
			.slice(0, ROWS)
			.map((row) =>
				make(
					"tr",
					{},
					...row.map((cell, i) =>
						make(
							i ? "td" : "th",
							i ? {} : { scope: "row" },
							cell,
						),
					),
				),
			);

		return make(
			"section",
			{ className: "panel table" },
			make(
				"h2",
				{},
				make("span", { className: "title" }, title),
				make("span", { className: "kind" }, more || ""),
			),
			make(
				"div",
				{
					className: "scroll",
					tabIndex: 0,
					role: "region",
					"aria-label": title,
				},
				make(
					"table",
					{},
					make(
						"thead",
						{},
						make(
							"tr",
							{},
							...heads.map((head) =>
								make("th", { scope: "col" }, head),
							),
						),
					),
					make("tbody", {}, ...body),
				),
			),
			rows.length > ROWS
				? make(
						"p",
						{ className: "more" },
						"The first " +
							ROWS +
							" of " +
							units.count(rows.length) +
							"; --json has all.",
					)
				: "",
		);
	}

	const places = ["min", "p50", "p90", "p99", "max"];
	const heads = ["min", "p50", "p90", "p99", "max", "on the PMU"];

	function running(row) {
		return row["pcnt-running"] === null
			? "–"
			: row["pcnt-running"].toFixed(2) + "\u00a0%";
	}

	function members() {
		return table(
			"Counts",
			["event", "total", "rate", ...heads],
			summary.members.map((row) => [
				row.event,
				units.count(row.total),
				row.rate === null ? "–" : units.prefixed(row.rate, 4) + "/s",
				...places.map((place) => units.count(row[place])),
				running(row),
			]),
			"min to max: in one interval, of " + units.count(summary.intervals),
		);
	}

	function ratios() {
		return table(
			"Ratios",
			["ratio", "of the totals", ...heads],
			summary.ratios.map((row) => [
				row.ratio + (row.unit ? " (" + row.unit + ")" : ""),
				row.total === null ? "–" : row.total.toFixed(3),
				...places.map((place) =>
					row[place] === null ? "–" : row[place].toFixed(3),
				),
				running(row),
			]),
		);
	}

	/* Of each pair of triggers: how long its calls took, and what was counted in them. */
	function calls(pair) {
		const shown = ["mean", "min", "p50", "p99", "max"];
		const row = (name, numbers, say) => [
			name,
			...["total", ...shown].map((key) =>
				numbers[key] === null ? "–" : say(numbers[key]),
			),
		];
		const open = [
			[pair["without-return"], "without a return"],
			[pair["without-entry"], "without an entry"],
		].filter(([nr]) => nr);

		return table(
			"Between " + pair.entry + " and " + pair.return,
			["event", "total", ...shown],
			[
				row("time", pair["time-ns"], (ns) => units.time(ns / 1e9)),
				...Object.keys(pair.counts).map((event) =>
					row(event, pair.counts[event], units.count),
				),
			],
			[
				units.count(pair.returned) + (pair.returned === 1 ? " call" : " calls"),
				...open.map(([nr, what]) => units.count(nr) + " " + what),
			].join(", "),
		);
	}

	function triggers() {
		return table(
			"Triggers",
			["trigger", "samples", "lost", "missed", "stopped", "for"],
			summary.triggers.map((row) => [
				row.event,
				units.count(row.samples),
				units.count(row.lost),
				units.count(row.missed),
				units.count(row.throttles),
				units.time(row["throttled-ns"] / 1e9),
			]),
		);
	}

	function part(nr) {
		return (
			units.count(nr) +
			" (" +
			((100 * nr) / summary.samples).toFixed(1) +
			"\u00a0%)"
		);
	}

	function cpus() {
		return table(
			"CPUs",
			["CPU", "samples"],
			summary.cpus.map((row) => [String(row.cpu), part(row.samples)]),
		);
	}

	function threads() {
		return table(
			"Threads",
			["thread", "PID", "TID", "samples"],
			summary.threads.map((row) => [
				row.comm || "–",
				String(row.pid),
				String(row.tid),
				part(row.samples),
			]),
		);
	}

	function sums() {
		const first = Object.keys(summary.sums[0] || {}),
			events = Object.keys((summary.sums[0] || {}).counts || {});
		const named = first.slice(0, first.indexOf("samples"));

		return table(
			"Sums by " + named.join(", "),
			[...named, "samples", ...events],
			summary.sums.map((row) => [
				...named.map((key) => String(row[key])),
				units.count(row.samples),
				...events.map((event) => units.count(row.counts[event])),
			]),
		);
	}

	function all() {
		return [
			members(),
			summary.ratios.length ? ratios() : "",
			triggers(),
			...summary.calls.map(calls),
			summary.sums && summary.sums.length ? sums() : "",
			summary.cpus.length ? cpus() : "",
			summary.threads.length ? threads() : "",
		];
	}

	function facts() {
		const many = (nr, what) => units.count(nr) + " " + what + (nr === 1 ? "" : "s");
		const list = [
			many(summary.samples, "sample"),
			units.time(summary["duration-ns"] / 1e9),
			many(summary.cpus.length, "CPU"),
			many(summary.threads.length, "thread"),
		];

		if (summary.lost || summary.missed)
			list.push(units.count(summary.lost + summary.missed) + " lost");
		if (!summary.complete) list.push("the recorder did not complete the file");
		return (
			list.join(" · ") +
			" · the axis of time begins at " +
			report.data.start +
			" s"
		);
	}

	return { all, facts };
})();
