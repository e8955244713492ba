// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The page of `report --html`; this file is the first of its parts. Each part is a member of
// `report`. Here: numbers and times as people write them.
"use strict";

const report = {
	data: JSON.parse(document.getElementById("data").textContent),
	summary: JSON.parse(document.getElementById("summary").textContent),
	// Of a recording with call chains.
	stacks: JSON.parse(document.getElementById("stacks")?.textContent || "null"),
};

report.units = (function () {
	const SPACE = "\u00a0";
	const prefixes = [
		[1e15, "P"],
		[1e12, "T"],
		[1e9, "G"],
		[1e6, "M"],
		[1e3, "k"],
		[1, ""],
	];
	const seconds = [
		[1, "s"],
		[1e-3, "ms"],
		[1e-6, "µs"],
		[1e-9, "ns"],
	];

	// Three digits that count, without an exponent.
	function digits(value, nr) {
		const rounded = Number(value.toPrecision(nr));

		if (!rounded) return "0";
		return rounded.toFixed(
			Math.max(
				0,
				Math.min(
					20,
					nr - 1 - Math.floor(Math.log10(Math.abs(rounded)) + 1e-9),
				),
			),
		);
	}

	// What 999.7 would be rounded to belongs to the next unit.
	function pick(units, value) {
		return (
			units.find((unit) => Math.abs(value) >= unit[0] * 0.9995) ||
			units[units.length - 1]
		);
	}

	function prefixed(value, nr) {
		const unit = pick(prefixes, value);

		if (!value) return "0" + SPACE;
		if (Math.abs(value) < 0.001) return value.toExponential(1) + SPACE;
		return digits(value / unit[0], nr) + SPACE + unit[1];
	}

	function time(value) {
		const unit = pick(seconds, value);

		return value ? digits(value / unit[0], 3) + SPACE + unit[1] : "0" + SPACE + "s";
	}

	// Of a plot: 1.23 G/s, 250 ms/s, 1.23, 12.3 %.
	function value(plot, number) {
		if (number === null || number === undefined) return "–";
		switch (plot.form) {
			case "rate":
				return prefixed(number, 3) + "/s";
			case "clock":
				return time(number / 1e9) + "/s";
			case "percent":
				return digits(number, 3) + SPACE + "%";
			default:
				return Math.abs(number) >= 1e4
					? prefixed(number, 3).trim()
					: digits(number, 3);
		}
	}

	// Round numbers of one plot's axis: no digits that are the same in all.
	function tick(plot, number) {
		if (!number) return "0";
		const text = value(plot, number).replace("/s", "");

		return text
			.replace(/(\.\d*?)0+(?=\D|$)/, "$1")
			.replace(/\.(?=\D|$)/, "")
			.trim();
	}

	// 1, 2 or 5 times a power of ten, about @nr of them from @from to @to.
	function step(from, to, nr) {
		const rough = (to - from) / Math.max(nr, 1);
		const power = Math.pow(10, Math.floor(Math.log10(rough)));

		return power * [1, 2, 5, 10].find((n) => n * power >= rough * 0.9999);
	}

	function ticks(from, to, nr) {
		const by = step(from, to, nr),
			all = [];

		for (let i = Math.ceil(from / by - 1e-9); i * by <= to + by * 1e-9; i++)
			all.push(i * by);
		return all;
	}

	// Powers of ten, and what lies between where there is room for it.
	function logTicks(from, to, nr) {
		const first = Math.floor(Math.log10(from)),
			last = Math.ceil(Math.log10(to)),
			all = [];
		const each = Math.max(1, Math.ceil((last - first) / nr));
		const between = Math.log10(to / from) * 3 <= nr * 1.5 ? [1, 2, 5] : [1];

		for (let power = first; power <= last; power += each) {
			for (const n of between) all.push(n * Math.pow(10, power));
		}
		return all.filter((n) => n >= from && n <= to);
	}

	// The axis of time: one unit for all, and as many decimals as tell two apart.
	function timeTicks(from, to, nr) {
		const by = step(from, to, nr);
		const unit = seconds.find((u) => to - from >= u[0]) || seconds[3];
		const decimals = Math.max(0, -Math.floor(Math.log10(by / unit[0]) + 1e-9));

		return ticks(from, to, nr).map((t) => ({
			v: t,
			label: (t / unit[0]).toFixed(decimals) + SPACE + unit[1],
		}));
	}

	// A point of time, to a part of what a column is.
	function moment(t) {
		const decimals = Math.max(
			0,
			Math.ceil(-Math.log10(report.data.seconds / report.data.columns)),
		);

		return (t * 1e3).toFixed(Math.max(0, decimals - 3)) + SPACE + "ms";
	}

	function count(number) {
		return number === null ? "–" : Math.round(number).toLocaleString("en-US");
	}

	return { value, tick, ticks, logTicks, timeTicks, time, moment, count, digits, prefixed };
})();

// An element with these properties and children.
report.make = function (tag, properties, ...children) {
	const element = document.createElement(tag);

	for (const [key, value] of Object.entries(properties || {})) {
		if (key in element) element[key] = value;
		else element.setAttribute(key, value);
	}
	element.append(...children);
	return element;
};
