// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// A plot of each member and ratio: dygraphs draws lines and axes; legend, scale and marks are ours.
report.plot = (function () {
	const view = report.view, units = report.units, make = report.make;
	const columns = report.data.columns;
	const lanes = Object.fromEntries(report.data.lanes.map((lane) => [lane.kind, lane]));
	const PERCENT = 99, LINES = 20;

	// The columns of the window.
	function range() {
		return [Math.max(0, Math.floor(view.from / view.column + 1e-6)),
			Math.min(columns, Math.ceil(view.to / view.column - 1e-6))];
	}

	// The lines that are shown.
	function shown(plot) {
		return plot.lines.filter((line) => !view.hidden.has(line.label));
	}

	// What the window has: the least above 0, the most, the percentile, and how many are above.
	function extent(lines) {
		const [first, last] = range(), values = [];
		let least = Infinity;

		for (const line of lines) {
			const high = line.high || line.mean, low = line.low || line.mean;

			for (let i = first; i < last; i++) {
				if (high[i] === null)
					continue;
				values.push(high[i]);
				if (low[i] > 0 && low[i] < least)
					least = low[i];
			}
		}
		values.sort((a, b) => a - b);
		const most = values.length ? values[values.length - 1] : 0;
		const at = Math.max(0, Math.ceil(values.length * PERCENT / 100) - 1);
		const limit = values.length ? values[at] : 0;

		return { least, most, limit, above: values.filter((value) => value > limit).length,
			 nr: values.length };
	}

	// How a scale divides the axis: its ends, and whether it is logarithmic and cuts something off.
	function scale(lines) {
		const seen = extent(lines);
		let top = seen.most || 1;

		if (view.scale === "log" && seen.least < Infinity)
			return { seen, log: true, from: seen.least / 1.6, to: seen.most * 1.6, cut: false };
		const cut = view.scale === "clip" && seen.limit > 0 && seen.limit < seen.most;

		if (cut)
			top = seen.limit;
		// A line at 0 or at the top is no part of the frame.
		return { seen, log: false, from: -0.035 * top, to: 1.07 * top, cut };
	}

	// A line is steps: the last column's right edge is a point, too. 0 has no place on a log scale
	// but the lower edge.
	function rows(plot, bars, floor) {
		const up = (value) => (floor && value !== null && value < floor ? floor : value);
		const all = [];

		for (let i = 0; i <= columns; i++) {
			const at = Math.min(i, columns - 1), row = [view.column * i];

			for (const line of plot.lines) {
				if (!bars)
					row.push(up(line.mean[at]));
				else if (line.mean[at] === null)
					row.push(null);
				else
					row.push([up((line.low || line.mean)[at]), up(line.mean[at]),
						  up((line.high || line.mean)[at])]);
			}
			all.push(row);
		}
		return all;
	}

	// ---- Marks in the plot ----

	function pairs(lane, take) {
		const [first, last] = range();

		for (let i = 0; lane && i < lane.nr.length; i += 2) {
			if (lane.nr[i] >= first && lane.nr[i] < last)
				take(lane.nr[i], lane.nr[i + 1]);
		}
	}

	function marks(ctx, area, graph) {
		const bottom = area.y + area.h, c = view.colors;
		const x = (column) => Math.min(Math.max(graph.toDomXCoord(column * view.column), area.x),
					       area.x + area.w);
		const width = (column) => Math.max(1, x(column + 1) - x(column));

		ctx.fillStyle = c.gap;
		pairs(lanes.gap, (at) => ctx.fillRect(x(at), area.y, width(at), area.h));
		ctx.fillStyle = c.off;
		pairs(lanes.off, (at) => ctx.fillRect(x(at), bottom - 4, width(at), 4));
		ctx.fillStyle = c.lost;
		for (const lane of [lanes.lost, lanes.throttle]) {
			let before = -Infinity, nr = 0;

			pairs(lane, () => nr++);
			pairs(lane, (at) => {
				const middle = x(at + 0.5);

				// Triangles that would cover each other say no more than one.
				if (middle - before < 7)
					return;
				before = middle;
				// Of many, lines would hide what is plotted.
				ctx.globalAlpha = 0.5;
				if (nr <= LINES)
					ctx.fillRect(middle - 0.5, area.y, 1, area.h);
				ctx.globalAlpha = 1;
				ctx.beginPath();
				ctx.moveTo(middle - 4, bottom);
				ctx.lineTo(middle + 4, bottom);
				ctx.lineTo(middle, bottom - 8);
				ctx.fill();
			});
		}
	}

	// Where something goes on above the frame.
	function arrows(ctx, area, graph, panel) {
		const [first, last] = range();
		let before = -Infinity;

		if (!panel.scale.cut)
			return;
		ctx.fillStyle = view.colors.mark;
		for (let i = first; i < last; i++) {
			const x = graph.toDomXCoord((i + 0.5) * view.column);

			if (x - before < 9 || !shown(panel.plot).some((line) =>
				(line.high || line.mean)[i] > panel.scale.to))
				continue;
			before = x;
			ctx.beginPath();
			ctx.moveTo(x - 4, area.y + 8);
			ctx.lineTo(x + 4, area.y + 8);
			ctx.lineTo(x, area.y + 1);
			ctx.fill();
		}
	}

	// ---- The panel ----

	function swatch() {
		return make("i", { className: "swatch", "aria-hidden": "true" });
	}

	function legend(panel) {
		const list = make("div", { className: "legend", role: "group",
					   "aria-label": "Lines of " + panel.plot.title });

		panel.keys = panel.plot.lines.map((line) => {
			const value = make("span", { className: "now" });
			const key = make("button", { type: "button", className: "key",
						     title: "Shows or hides this line; with Shift: it alone. The number is " +
							    "the value at the pointer, or else the mean" },
					 swatch(), make("span", { className: "name" }, line.label), value);

			key.addEventListener("click", (event) => view.toggle(line.label, event.shiftKey));
			list.append(key);
			return { line, key, value };
		});
		return list;
	}

	function options(panel) {
		const c = view.colors, look = panel.plot.lines.map((line) => view.style(line.label));
		const narrow = panel.narrow, s = panel.scale;

		return {
			colors: look.map((one) => one.color),
			series: Object.fromEntries(panel.plot.lines.map((line, i) =>
				[i + " " + line.label, { strokePattern: look[i].dash }])),
			visibility: panel.plot.lines.map((line) => !view.hidden.has(line.label)),
			dateWindow: [view.from, view.to],
			valueRange: [s.from, s.to],
			logscale: s.log,
			axisLineColor: c.frame,
			gridLineColor: c.grid,
			axes: {
				x: { ticker: (a, b, pixels) =>
					units.timeTicks(a, b, Math.max(2, Math.floor(pixels / (narrow ? 80 : 110))))
					// dygraphs leaves out one at the very end.
					.map((one) => ({ v: Math.min(one.v, b - (b - a) * 1e-9), label: one.label })) },
				y: { axisLabelWidth: narrow ? 46 : 58,
				     ticker: (a, b, pixels) => (s.log ? units.logTicks : units.ticks)(
					     s.log ? s.from : 0, s.to, Math.max(2, Math.floor(pixels / 38)))
					     .map((v) => ({ v, label: units.tick(panel.plot, v) })) },
			},
		};
	}

	function create(panel) {
		panel.bars = panel.plot.lines.some((line) => line.high);
		panel.floor = 0;
		panel.graph = new Dygraph(panel.chart, rows(panel.plot, panel.bars, 0), Object.assign({
			// dygraphs wants names that differ.
			labels: ["time"].concat(panel.plot.lines.map((line, i) => i + " " + line.label)),
			customBars: panel.bars,
			stepPlot: true,
			legend: "never",
			showLabelsOnHighlight: false,
			highlightCircleSize: 0,
			fillAlpha: 0.22,
			strokeWidth: 1.6,
			axisLabelFontSize: 12,
			gridLineWidth: 1,
			axisLineWidth: 1,
			interactionModel: {},
			rightGap: 12,
			xRangePad: 0,
			underlayCallback: (ctx, area, graph) => {
				marks(ctx, area, graph);
				arrows(ctx, area, graph, panel);
			},
		}, options(panel)));
	}

	function say(panel) {
		const { seen, cut, log } = panel.scale, value = (v) => units.value(panel.plot, v);

		panel.note.hidden = !cut;
		panel.note.textContent = cut ? "Clipped at p" + PERCENT + ", " + value(seen.limit) + ": " +
			units.count(seen.above) + " of " + units.count(seen.nr) + " values are above it, up to " +
			value(seen.most) + "." : "";
		panel.kind.textContent = { rate: "per second", clock: "time per second", percent: "percent",
					   ratio: panel.plot.unit === panel.plot.title ? "ratio" :
						  panel.plot.unit }[panel.plot.form] +
			(log ? ", logarithmic: 0 lies on the lower edge" : "");
	}

	// The mean of the columns that the window shows.
	function mean(line) {
		const [first, last] = range(), list = line.mean.slice(first, last).filter((v) => v !== null);

		return list.length ? list.reduce((a, b) => a + b) / list.length : null;
	}

	// In the legend: the values at the pointer, or the means.
	function point(panel) {
		const at = view.cursor === null ? -1 : Math.min(columns - 1,
								Math.floor(view.cursor / view.column));

		for (const { line, value } of panel.keys) {
			value.textContent = units.value(panel.plot, at < 0 ? mean(line) : line.mean[at]);
			value.classList.toggle("here", at >= 0);
		}
		panel.strip.mark();
	}

	function draw(panel) {
		const narrow = panel.box.clientWidth < 500, turned = narrow !== panel.narrow;

		panel.narrow = narrow;
		panel.scale = scale(shown(panel.plot));
		for (const { line, key } of panel.keys) {
			const look = view.style(line.label);

			key.setAttribute("aria-pressed", String(!view.hidden.has(line.label)));
			key.firstChild.style.borderTop = "3px " + (look.dash ? "dashed " : "solid ") + look.color;
		}
		say(panel);
		if (!panel.graph) {
			create(panel);
		} else {
			const next = options(panel), floor = panel.scale.log ? panel.scale.from : 0;

			// dygraphs makes room for an axis of another width only with other data.
			if (floor !== panel.floor || turned)
				next.file = rows(panel.plot, panel.bars, floor);
			panel.floor = floor;
			panel.graph.updateOptions(next);
		}
		point(panel);
	}

	// Is the group not on the PMU in this column?
	function off(line, at) {
		for (let i = 0; i < line.off.length; i += 2) {
			if (at >= line.off[i] && at < line.off[i] + line.off[i + 1])
				return true;
		}
		return false;
	}

	function tip(plot, at) {
		const rest = plot.lines.some((line) => line.high) ? ["least", "most"] : [];
		const head = ["", rest.length ? "mean" : "", ...rest];

		return [head].concat(shown(plot).map((line) => {
			const value = (list) => units.value(plot, (list || line.mean)[at]);

			if (line.mean[at] === null)
				return [line.label, off(line, at) ? "not on the PMU" : "–", ...rest.map(() => "")];
			return [line.label, value(line.mean), ...(rest.length ?
				[value(line.low), value(line.high)] : [])];
		}));
	}

	function panel(plot, i) {
		const chart = make("div", { className: "plot" });
		const box = make("div", { className: "box", tabIndex: 0, role: "img" }, chart);
		const one = { plot, chart, box, note: make("p", { className: "clip", role: "status", hidden: true }),
			      kind: make("span", { className: "kind" }) };

		box.setAttribute("aria-label", plot.title + " over time. Arrow keys move, plus and minus zoom.");
		one.section = make("section", { className: "panel", id: "plot-" + i },
				   make("h2", {}, make("span", { className: "title" }, plot.title), one.kind),
				   legend(one), one.note, box);
		if (plot.streams > plot.lines.length)
			one.section.insertBefore(make("p", { className: "more" }, plot.lines.length +
				" of " + units.count(plot.streams) + " lines, those with the highest totals."), box);
		one.area = () => one.graph.getArea();
		one.strip = report.point.strip(box, one.area, (t) => ({
			title: units.moment(t), rows: tip(plot, Math.min(columns - 1, Math.floor(t / view.column))) }));
		view.parts.push({ draw: () => draw(one), point: () => point(one),
				  resize: () => one.graph && one.graph.resize() });
		return one;
	}

	return { panel, scale, shown, range, PERCENT };
})();
