// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// A plot of each member and ratio: dygraphs draws lines and axes; legend, scale and marks are ours.
report.plot = (function () {
	const view = report.view,
		units = report.units,
		make = report.make;
	const columns = report.data.columns;
	const KEY_HELP =
		"Shows or hides this line; with Shift: it alone. " +
		"The number is the value at the pointer, or else the mean";

	// ---- The panel ----

	function swatch() {
		return make("i", { className: "swatch", "aria-hidden": "true" });
	}

	function legend(panel) {
		const list = make("div", {
			className: "legend",
			role: "group",
			"aria-label": "Lines of " + panel.plot.title,
		});

		panel.keys = panel.plot.lines.map((line) => {
			const value = make("span", { className: "now" });
			const key = make(
				"button",
				{
					type: "button",
					className: "key",
					title: KEY_HELP,
				},
				swatch(),
				make("span", { className: "name" }, line.label),
				value,
			);

			key.addEventListener("click", (event) =>
				view.toggle(line.label, event.shiftKey),
			);
			list.append(key);
			return { line, key, value };
		});
		return list;
	}

	// dygraphs leaves out one at the very end.
	function timeTicks(from, to, nr) {
		return units.timeTicks(from, to, Math.max(2, Math.floor(nr))).map((one) => ({
			v: Math.min(one.v, to - (to - from) * 1e-9),
			label: one.label,
		}));
	}

	function options(panel) {
		const c = view.colors,
			look = panel.plot.lines.map((line) => view.style(line.label));
		const narrow = panel.narrow,
			s = panel.scale;

		return {
			colors: look.map((one) => one.color),
			series: Object.fromEntries(
				panel.plot.lines.map((line, i) => [
					i + " " + line.label,
					{ strokePattern: look[i].dash },
				]),
			),
			visibility: panel.plot.lines.map((line) => !view.hidden.has(line.label)),
			dateWindow: [view.from, view.to],
			valueRange: [s.from, s.to],
			logscale: s.log,
			axisLineColor: c.frame,
			gridLineColor: c.grid,
			axes: {
				x: {
					ticker: (a, b, pixels) =>
						timeTicks(a, b, pixels / (narrow ? 80 : 110)),
				},
				y: {
					axisLabelWidth: narrow ? 46 : 58,
					ticker: (a, b, pixels) =>
						(s.log ? units.logTicks : units.ticks)(
							s.log ? s.from : 0,
							s.to,
							Math.max(2, Math.floor(pixels / 38)),
						).map((v) => ({
							v,
							label: units.tick(panel.plot, v),
						})),
				},
			},
		};
	}

	function create(panel) {
		panel.bars = panel.plot.lines.some((line) => line.high);
		panel.floor = 0;
		panel.graph = new Dygraph(
			panel.chart,
			report.scale.rows(panel.plot, panel.bars, 0),
			Object.assign(
				{
					// dygraphs wants names that differ.
					labels: ["time"].concat(
						panel.plot.lines.map(
							(line, i) => i + " " + line.label,
						),
					),
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
						report.marks.marks(ctx, area, graph);
						report.marks.arrows(ctx, area, graph, panel);
					},
				},
				options(panel),
			),
		);
	}

	function say(panel) {
		const { seen, cut, log } = panel.scale,
			value = (v) => units.value(panel.plot, v);

		panel.note.hidden = !cut;
		panel.note.textContent = cut
			? "Clipped at " +
				value(seen.top) +
				": " +
				units.count(seen.above) +
				" of " +
				units.count(seen.nr) +
				" columns above, up to " +
				value(seen.most) +
				"."
			: "";
		panel.kind.textContent =
			{
				rate: "per second",
				clock: "time per second",
				percent: "percent",
				ratio:
					panel.plot.unit === panel.plot.title
						? "ratio"
						: panel.plot.unit,
			}[panel.plot.form] + (log ? ", logarithmic: 0 lies on the lower edge" : "");
	}

	// The mean of the columns that the window shows.
	function mean(line) {
		const [first, last] = report.scale.range(),
			list = line.mean.slice(first, last).filter((v) => v !== null);

		return list.length ? list.reduce((a, b) => a + b) / list.length : null;
	}

	// In the legend: the values at the pointer, or the means.
	function point(panel) {
		const at =
			view.cursor === null
				? -1
				: Math.min(columns - 1, Math.floor(view.cursor / view.column));

		for (const { line, value } of panel.keys) {
			value.textContent = units.value(
				panel.plot,
				at < 0 ? mean(line) : line.mean[at],
			);
			value.classList.toggle("here", at >= 0);
		}
		panel.strip.mark();
	}

	function draw(panel) {
		const narrow = panel.box.clientWidth < 500,
			turned = narrow !== panel.narrow;

		panel.narrow = narrow;
		panel.scale = report.scale.of(report.scale.shown(panel.plot));
		for (const { line, key } of panel.keys) {
			const look = view.style(line.label);

			key.setAttribute("aria-pressed", String(!view.hidden.has(line.label)));
			key.firstChild.style.borderTop =
				"3px " + (look.dash ? "dashed " : "solid ") + look.color;
		}
		say(panel);
		if (!panel.graph) {
			create(panel);
		} else {
			const next = options(panel),
				floor = panel.scale.log ? panel.scale.from : 0;

			// dygraphs makes room for an axis of another width only with other data.
			if (floor !== panel.floor || turned)
				next.file = report.scale.rows(panel.plot, panel.bars, floor);
			panel.floor = floor;
			panel.graph.updateOptions(next);
		}
		point(panel);
	}

	// Is the group not on the PMU in this column?
	function off(line, at) {
		for (let i = 0; i < line.off.length; i += 2) {
			if (at >= line.off[i] && at < line.off[i] + line.off[i + 1]) return true;
		}
		return false;
	}

	function tip(plot, at) {
		const rest = plot.lines.some((line) => line.high) ? ["least", "most"] : [];
		const head = ["", rest.length ? "mean" : "", ...rest];

		return [head].concat(
			report.scale.shown(plot).map((line) => {
				const value = (list) => units.value(plot, (list || line.mean)[at]);

				if (line.mean[at] === null)
					return [
						line.label,
						off(line, at) ? "not on the PMU" : "–",
						...rest.map(() => ""),
					];
				return [
					line.label,
					value(line.mean),
					...(rest.length ? [value(line.low), value(line.high)] : []),
				];
			}),
		);
	}

	function panel(plot, i) {
		const chart = make("div", { className: "plot" });
		const box = make("div", { className: "box", tabIndex: 0, role: "img" }, chart);
		const one = {
			plot,
			chart,
			box,
			note: make("p", { className: "clip", role: "status", hidden: true }),
			kind: make("span", { className: "kind" }),
		};

		box.setAttribute(
			"aria-label",
			plot.title + " over time. Arrow keys move, plus and minus zoom.",
		);
		one.section = make(
			"section",
			{ className: "panel", id: "plot-" + i },
			make("h2", {}, make("span", { className: "title" }, plot.title), one.kind),
			legend(one),
			one.note,
			box,
		);
		if (plot.streams > plot.lines.length)
			one.section.insertBefore(
				make(
					"p",
					{ className: "more" },
					plot.lines.length +
						" of " +
						units.count(plot.streams) +
						" lines, those with the highest totals.",
				),
				box,
			);
		one.area = () => one.graph.getArea();
		one.strip = report.point.strip(box, one.area, (t) => ({
			title: units.moment(t),
			rows: tip(plot, Math.min(columns - 1, Math.floor(t / view.column))),
		}));
		view.parts.push({
			draw: () => draw(one),
			point: () => point(one),
			resize: () => one.graph && one.graph.resize(),
		});
		return one;
	}

	return { panel };
})();
