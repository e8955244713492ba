// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// Marks on the axis of time: a lane for each trigger, for losses, and for what was not counted.
report.lanes = (function () {
	const view = report.view,
		units = report.units,
		make = report.make;
	const HEIGHT = 14,
		GAP = 12;
	const words = {
		trigger: (nr) => units.count(nr) + (nr === 1 ? " sample" : " samples"),
		switch: (nr) => units.count(nr) + (nr === 1 ? " switch" : " switches"),
		lost: (nr) => units.count(nr) + " lost",
		throttle: (nr) => "stopped " + units.count(nr) + (nr === 1 ? " time" : " times"),
		off: (nr) =>
			units.count(nr) + (nr === 1 ? " group" : " groups") + " not on the PMU",
		gap: () => "no interval",
	};
	const colors = {
		trigger: "mark",
		switch: "mark",
		lost: "lost",
		throttle: "lost",
		off: "off",
		gap: "muted",
	};

	// The most that a pixel of the canvas has to show decides how dark one of them is.
	function bins(lane, width) {
		const all = new Float64Array(width),
			part = view.to - view.from;

		for (let i = 0; i < lane.nr.length; i += 2) {
			const from = ((lane.nr[i] * view.column - view.from) / part) * width;
			const to = (((lane.nr[i] + 1) * view.column - view.from) / part) * width;
			const last = Math.min(
				width - 1,
				Math.max(Math.floor(from), Math.ceil(to) - 1),
			);

			for (let x = Math.max(0, Math.floor(from)); x <= last; x++)
				all[x] = Math.max(all[x], lane.nr[i + 1]);
		}
		return all;
	}

	function draw(one) {
		const area = one.area(),
			ratio = window.devicePixelRatio || 1;
		const width = Math.max(1, Math.round(area.w * ratio)),
			ctx = one.canvas.getContext("2d");

		one.canvas.width = width;
		one.canvas.height = HEIGHT * ratio;
		one.canvas.style.width = area.w + "px";
		one.canvas.style.marginLeft = area.x + "px";
		const all = bins(one.lane, width),
			most = all.reduce((a, b) => Math.max(a, b), 0);

		ctx.fillStyle = view.colors[colors[one.lane.kind]];
		for (let x = 0; x < width; x++) {
			if (!all[x]) continue;
			ctx.globalAlpha = 0.4 + (0.6 * all[x]) / most;
			// One mark is to be seen on any screen.
			ctx.fillRect(x, 0, Math.max(1, ratio), HEIGHT * ratio);
		}
		one.strip.mark();
	}

	function number(lane, t) {
		const at = Math.floor(t / view.column);

		for (let i = 0; i < lane.nr.length; i += 2) {
			if (lane.nr[i] === at) return lane.nr[i + 1];
		}
		return 0;
	}

	function total(lane) {
		if (lane.kind === "off" || lane.kind === "gap")
			return (
				units.digits((lane.nr.length / 2 / report.data.columns) * 100, 2) +
				" % of the columns"
			);
		return words[lane.kind](lane.total);
	}

	// As wide as its panel, and with the plots' axes if these are as wide.
	function row(lane, left) {
		const canvas = make("canvas", { "aria-hidden": "true" });
		const strip = make("div", { className: "lane" }, canvas);
		const one = {
			lane,
			canvas,
			area: () => ({ x: left(), w: strip.clientWidth - left() - GAP }),
		};

		one.strip = report.point.strip(strip, one.area, (t) => ({
			title: units.moment(t),
			rows: [
				[
					lane.label,
					number(lane, t)
						? words[lane.kind](number(lane, t))
						: "none here",
				],
			],
		}));
		view.parts.push({ draw: () => draw(one), point: () => one.strip.mark() });
		return make(
			"div",
			{ className: "row " + lane.kind },
			make(
				"p",
				{},
				make("i", {
					className: "swatch block",
					"aria-hidden": "true",
					style: "background: var(--" + colors[lane.kind] + ")",
				}),
				make("span", { className: "name" }, lane.label),
				make("span", { className: "now" }, total(lane)),
			),
			strip,
		);
	}

	// @left: where the plots' axis of time begins.
	function panel(left) {
		return make(
			"section",
			{ className: "panel", id: "lanes" },
			make(
				"h2",
				{},
				make("span", { className: "title" }, "Marks"),
				make(
					"span",
					{ className: "kind" },
					"samples, losses, and what was not counted",
				),
			),
			...report.data.lanes.map((lane) => row(lane, left)),
		);
	}

	return { panel };
})();
