// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// Marks in the plots: losses, times without samples or off the PMU, and what the scale cuts off.
report.marks = (function () {
	const view = report.view;
	const lanes = Object.fromEntries(report.data.lanes.map((lane) => [lane.kind, lane]));
	const LINES = 20;

	function pairs(lane, take) {
		const [first, last] = report.scale.range();

		for (let i = 0; lane && i < lane.nr.length; i += 2) {
			if (lane.nr[i] >= first && lane.nr[i] < last)
				take(lane.nr[i], lane.nr[i + 1]);
		}
	}

	function marks(ctx, area, graph) {
		const bottom = area.y + area.h,
			c = view.colors;
		const x = (column) =>
			Math.min(
				Math.max(graph.toDomXCoord(column * view.column), area.x),
				area.x + area.w,
			);
		const width = (column) => Math.max(1, x(column + 1) - x(column));

		ctx.fillStyle = c.gap;
		pairs(lanes.gap, (at) => ctx.fillRect(x(at), area.y, width(at), area.h));
		// Between the axis and the height of 0 is room for both: the axis stays free.
		ctx.fillStyle = c.off;
		pairs(lanes.off, (at) => ctx.fillRect(x(at), bottom - 4, width(at), 3));
		ctx.fillStyle = c.lost;
		for (const lane of [lanes.lost, lanes.throttle]) {
			let nr = 0;

			pairs(lane, () => nr++);
			// Of many, lines would hide what is plotted, and triangles each other.
			pairs(lane, (at) =>
				nr > LINES
					? ctx.fillRect(x(at), bottom - 8, width(at), 4)
					: mark(ctx, x(at + 0.5), area, bottom - 1),
			);
		}
	}

	function mark(ctx, x, area, bottom) {
		ctx.globalAlpha = 0.5;
		ctx.fillRect(x - 0.5, area.y, 1, area.h - 1);
		ctx.globalAlpha = 1;
		ctx.beginPath();
		ctx.moveTo(x - 4, bottom);
		ctx.lineTo(x + 4, bottom);
		ctx.lineTo(x, bottom - 8);
		ctx.fill();
	}

	// Where something goes on above the frame.
	function arrows(ctx, area, graph, panel) {
		const [first, last] = report.scale.range();
		let before = -Infinity;

		if (!panel.scale.cut) return;
		ctx.fillStyle = view.colors.mark;
		for (let i = first; i < last; i++) {
			const x = graph.toDomXCoord((i + 0.5) * view.column);

			if (
				x - before < 9 ||
				!(
					report.scale.highest(
						report.scale.shown(panel.plot),
						i,
					) > panel.scale.seen.top
				)
			)
				continue;
			before = x;
			ctx.beginPath();
			ctx.moveTo(x - 4, area.y + 8);
			ctx.lineTo(x + 4, area.y + 8);
			ctx.lineTo(x, area.y + 1);
			ctx.fill();
		}
	}

	return { marks, arrows };
})();
