// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The scale of a plot, by what its lines have in the window of time.
report.scale = (function () {
	const view = report.view;
	const columns = report.data.columns;
	const PERCENT = 99;

	// The columns of the window.
	function range() {
		return [
			Math.max(0, Math.floor(view.from / view.column + 1e-6)),
			Math.min(columns, Math.ceil(view.to / view.column - 1e-6)),
		];
	}

	// The lines that are shown.
	function shown(plot) {
		return plot.lines.filter((line) => !view.hidden.has(line.label));
	}

	// What the window has: the least above 0, the most, the percentile, and how many are above.
	function extent(lines) {
		const [first, last] = range(),
			values = [];
		let least = Infinity;

		for (const line of lines) {
			const high = line.high || line.mean,
				low = line.low || line.mean;

			for (let i = first; i < last; i++) {
				if (high[i] === null) continue;
				values.push(high[i]);
				if (low[i] > 0 && low[i] < least) least = low[i];
			}
		}
		values.sort((a, b) => a - b);
		const most = values.length ? values[values.length - 1] : 0;
		const at = Math.max(0, Math.ceil((values.length * PERCENT) / 100) - 1);
		const limit = values.length ? values[at] : 0;

		return {
			least,
			most,
			limit,
			above: values.filter((value) => value > limit).length,
			nr: values.length,
		};
	}

	// How the scale divides an axis: its ends, whether it is logarithmic, and whether it cuts
	// something off.
	function of(lines) {
		const seen = extent(lines);
		let top = seen.most || 1;

		if (view.scale === "log" && seen.least < Infinity)
			return {
				seen,
				log: true,
				from: seen.least / 1.6,
				to: seen.most * 1.6,
				cut: false,
			};
		const cut = view.scale === "clip" && seen.limit > 0 && seen.limit < seen.most;

		if (cut) top = seen.limit;
		// A line at 0 or at the top is no part of the frame.
		return { seen, log: false, from: -0.035 * top, to: 1.07 * top, cut };
	}

	// A line is steps: the last column's right edge is a point, too. 0 has no place on a log
	// scale but the lower edge.
	function rows(plot, bars, floor) {
		const up = (value) => (floor && value !== null && value < floor ? floor : value);
		const all = [];

		for (let i = 0; i <= columns; i++) {
			const at = Math.min(i, columns - 1),
				row = [view.column * i];

			for (const line of plot.lines) {
				if (!bars) row.push(up(line.mean[at]));
				else if (line.mean[at] === null) row.push(null);
				else
					row.push([
						up((line.low || line.mean)[at]),
						up(line.mean[at]),
						up((line.high || line.mean)[at]),
					]);
			}
			all.push(row);
		}
		return all;
	}

	return { PERCENT, range, shown, of, rows };
})();
