// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The colours of a flame graph: what kind of code a box is, or a ratio of what was counted in it.
report.paint = (function () {
	const view = report.view,
		units = report.units,
		make = report.make,
		tree = report.tree;
	const kinds = ["thread", "user", "kernel"];

	// As WCAG has it, of an sRGB colour.
	function luminance(rgb) {
		const part = rgb.map((v) =>
			v <= 10.31475 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4,
		);

		return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
	}

	// The greatest ratio of what can be seen, where the scale ends; it begins at 0.
	function most(state) {
		let value = 0;

		for (const one of state.boxes) {
			if (one.width >= 3)
				value = Math.max(value, tree.ratio(state.ratio, one.node) || 0);
		}
		return value;
	}

	// Of a box and of its text.
	function colors(state, one, ramp) {
		if (state.found && state.found[one.node])
			return [view.colors.found, view.colors["on-flame"]];
		if (!state.ratio)
			return [
				view.colors[kinds[tree.data.kind[one.node]]],
				view.colors["on-flame"],
			];
		const value = tree.ratio(state.ratio, one.node);

		if (value === null) return [view.colors.gap, view.colors.text];
		const rgb = report.heat.color(ramp, state.most ? value / state.most : 0);

		return ["rgb(" + rgb.join(",") + ")", luminance(rgb) > 0.18 ? "#000" : "#fff"];
	}

	function swatch(name, what) {
		const one = make("span", { className: "swatch block" });

		one.style.background = "var(--" + name + ")";
		return make("span", { className: "entry" }, one, what);
	}

	function scale(state, ramp) {
		const bar = make("canvas", { width: 120, height: 10, "aria-hidden": "true" });

		report.heat.fill(bar, ramp);
		return [
			make("span", { className: "name" }, state.ratio.name),
			make("span", {}, "0"),
			bar,
			make("span", {}, units.digits(state.most, 3) + " " + state.ratio.unit),
		];
	}

	function legend(state, ramp) {
		return [
			...(state.ratio
				? scale(state, ramp)
				: [
						swatch("thread", "threads"),
						swatch("user", "user space"),
						swatch("kernel", "kernel"),
					]),
			...(state.found ? [swatch("found", "found")] : []),
		];
	}

	return { most, colors, legend };
})();
