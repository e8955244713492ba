// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// CPUs by time: a row for each, as bright as what was counted there.
report.heat = (function () {
	const view = report.view,
		units = report.units,
		make = report.make;
	const heat = report.data.heat;
	const scale = () =>
		getComputedStyle(document.documentElement)
			.getPropertyValue("--heat")
			.trim()
			.split(/\s+/)
			.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));

	// From dark to bright without a turn: also without colours it is a scale.
	function color(ramp, part) {
		const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
		const i = Math.min(ramp.length - 2, Math.floor(at));

		return ramp[i].map((from, n) =>
			Math.round(from + (ramp[i + 1][n] - from) * (at - i)),
		);
	}

	// The values' place on the scale that the plots have, too.
	function limits(rows) {
		const seen = report.scale.limit(
			rows[0].mean.map((_, i) => report.scale.highest(rows, i)),
		);
		const most = seen.most || 1;
		let least = most;

		for (const row of rows) {
			for (const value of row.mean) {
				if (value > 0 && value < least) least = value;
			}
		}
		if (view.scale === "log" && least < most) return { from: least, to: most, log: true };
		return { from: 0, to: (view.scale === "clip" && seen.top) || most, log: false, most };
	}

	function place(limit, value) {
		if (limit.log)
			return value <= 0
				? 0
				: Math.log(value / limit.from) / Math.log(limit.to / limit.from);
		return value / limit.to;
	}

	// A pixel for each cell; the canvas makes them larger.
	function image(rows, limit, ramp) {
		const canvas = make("canvas", { width: heat.columns, height: rows.length });
		const ctx = canvas.getContext("2d"),
			cells = ctx.createImageData(heat.columns, rows.length);
		let at = 0;

		for (const row of rows) {
			for (const value of row.mean) {
				if (value !== null)
					cells.data.set(
						[...color(ramp, place(limit, value)), 255],
						at,
					);
				at += 4;
			}
		}
		ctx.putImageData(cells, 0, 0);
		return canvas;
	}

	function names(one, ctx, area, height) {
		const each = Math.ceil(13 / (height / one.rows.length));

		ctx.fillStyle = view.colors.text;
		ctx.font = "12px system-ui, sans-serif";
		ctx.textAlign = "right";
		ctx.textBaseline = "middle";
		for (let i = 0; i < one.rows.length; i += each)
			ctx.fillText(
				one.rows[i].label.replace(/^CPU /, ""),
				area.x - 6,
				// All of it within the canvas.
				Math.min(
					Math.max(((i + 0.5) * height) / one.rows.length, 6),
					height - 6,
				),
				area.x - 8,
			);
	}

	// A canvas that shows the scale.
	function fill(canvas, ramp) {
		const ctx = canvas.getContext("2d");

		for (let x = 0; x < canvas.width; x++) {
			ctx.fillStyle =
				"rgb(" + color(ramp, x / (canvas.width - 1)).join(",") + ")";
			ctx.fillRect(x, 0, 1, canvas.height);
		}
	}

	function bar(one, ramp) {
		fill(one.bar, ramp);
		one.least.textContent = units.value(one.plot, one.limit.from);
		one.most.textContent =
			units.value(one.plot, one.limit.to) +
			(one.limit.most > one.limit.to
				? ", clipped: up to " + units.value(one.plot, one.limit.most)
				: "") +
			(one.limit.log ? ", logarithmic" : "");
	}

	function draw(one) {
		const ratio = window.devicePixelRatio || 1,
			area = one.area(),
			ctx = one.canvas.getContext("2d");
		const height =
			one.rows.length *
			Math.max(2, Math.min(18, Math.floor(220 / one.rows.length)));
		const width = area.x + area.w,
			ramp = scale();

		one.limit = limits(one.rows);
		one.canvas.width = width * ratio;
		one.canvas.height = height * ratio;
		one.canvas.style.width = width + "px";
		one.canvas.style.height = height + "px";
		ctx.scale(ratio, ratio);
		ctx.fillStyle = view.colors.gap;
		ctx.fillRect(area.x, 0, area.w, height);
		ctx.imageSmoothingEnabled = false;
		const part = heat.columns / view.end;

		ctx.drawImage(
			image(one.rows, one.limit, ramp),
			view.from * part,
			0,
			(view.to - view.from) * part,
			one.rows.length,
			area.x,
			0,
			area.w,
			height,
		);
		names(one, ctx, area, height);
		bar(one, ramp);
		one.strip.mark();
	}

	function says(one, t, y) {
		const at = Math.min(heat.columns - 1, Math.floor((t / view.end) * heat.columns));
		const row = one.rows[Math.floor((y / one.canvas.clientHeight) * one.rows.length)];

		if (!row) return null;
		return {
			title: units.moment(t),
			rows: [
				[
					row.label,
					row.mean[at] === null
						? "not counted"
						: units.value(one.plot, row.mean[at]),
				],
			],
		};
	}

	// The heat map of plot @i, below its panel's; nothing where there are not two rows.
	function map(plot, i, area) {
		const rows = heat ? heat.plots[i].lines : [];

		if (rows.length < 2) return "";
		const canvas = make("canvas", {
			role: "img",
			"aria-label": plot.title + " by CPU and time",
		});
		const box = make("div", { className: "heat" }, canvas);
		const one = {
			plot,
			rows,
			canvas,
			area,
			bar: make("canvas", { width: 120, height: 10, "aria-hidden": "true" }),
			least: make("span"),
			most: make("span"),
		};
		const more =
			heat.plots[i].streams > rows.length
				? " (" +
					rows.length +
					" of " +
					units.count(heat.plots[i].streams) +
					")"
				: "";

		one.strip = report.point.strip(box, area, (t, y) => says(one, t, y));
		view.parts.push({ draw: () => draw(one), point: () => one.strip.mark() });
		return make(
			"div",
			{ className: "heatmap" },
			make(
				"p",
				{ className: "scale" },
				make("span", { className: "name" }, "By CPU" + more),
				one.least,
				one.bar,
				one.most,
			),
			box,
		);
	}

	return { map, scale, color, fill };
})();
