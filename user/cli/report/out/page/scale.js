// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The scale of a plot, by what its lines have in the window of time.
report.scale = (function () {
	const view = report.view;
	const columns = report.data.columns;
	const OUTLIERS = 100,
		TIMES = 2,
		FEWEST = 10;

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

	// Where a scale ends, by the most of each column: one in a hundred may lie above it, if it is
	// more than twice as high as all others (clip.c has the same rule).
	function limit(values) {
		const list = values.filter((value) => value !== null).sort((a, b) => b - a);
		const most = list.length ? list[0] : 0;
		const top = list[Math.ceil(list.length / OUTLIERS)];
		const cut = list.length >= FEWEST && top > 0 && most > TIMES * top;

		return {
			most,
			top: cut ? top : most,
			above: cut ? list.filter((value) => value > top).length : 0,
			nr: list.length,
		};
	}

	// The most of a column of any of the lines.
	function highest(lines, at) {
		let most = null;

		for (const line of lines) {
			const value = (line.high || line.mean)[at];

			if (value !== null && !(value <= most && most !== null)) most = value;
		}
		return most;
	}

	// What the window has: the least above 0, and where the scale ends.
	function extent(lines) {
		const [first, last] = range(),
			values = [];
		let least = Infinity;

		for (let i = first; i < last; i++) {
			values.push(highest(lines, i));
			for (const line of lines) {
				const low = (line.low || line.mean)[i];

				if (low > 0 && low < least) least = low;
			}
		}
		return { least, ...limit(values) };
	}

	// How the scale divides an axis: its ends, whether it is logarithmic, and whether it cuts
	// something off.
	function of(lines) {
		const seen = extent(lines);

		if (view.scale === "log" && seen.least < Infinity)
			return {
				seen,
				log: true,
				from: seen.least / 1.6,
				to: seen.most * 1.6,
				cut: false,
			};
		const cut = view.scale === "clip" && seen.above > 0;
		const top = (cut ? seen.top : seen.most) || 1;

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

	return { range, shown, limit, highest, of, rows };
})();
