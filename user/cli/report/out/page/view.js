// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// What is shown of the recording, by all parts of the page alike: the window of time, the lines,
// the scale, the theme. A part that draws adds itself to `parts`.
report.view = (function () {
	const end = report.data.seconds,
		column = end / report.data.columns;
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const parts = [];
	const view = {
		from: 0,
		to: end,
		scale: "clip",
		hidden: new Set(),
		theme: "system",
		cursor: null,
		brushed: null,
		colors: {},
		labels: [],
		parts,
	};
	let planned = false;

	// The same line has the same colour in each plot.
	for (const plot of report.data.plots) {
		for (const line of plot.lines) {
			if (!view.labels.includes(line.label)) view.labels.push(line.label);
		}
	}

	function flush() {
		planned = false;
		for (const part of parts) part.draw();
	}

	// Once for all that changes until the screen is drawn.
	function change() {
		if (!planned) requestAnimationFrame(() => planned && flush());
		planned = true;
	}

	function show(from, to) {
		const width = Math.min(end, Math.max(to - from, 4 * column));

		from = Math.min(Math.max(0, (from + to - width) / 2), end - width);
		view.from = from;
		view.to = from + width;
		point(null);
		change();
	}

	function all() {
		show(0, end);
	}

	function pan(part) {
		const by = part * (view.to - view.from);
		const from = Math.min(Math.max(0, view.from + by), end - (view.to - view.from));

		show(from, from + (view.to - view.from));
	}

	// @at stays where it is.
	function zoom(factor, at) {
		const middle = at === undefined || at === null ? (view.from + view.to) / 2 : at;

		show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
	}

	function zoomed() {
		return view.to - view.from < end * 0.999999;
	}

	function toggle(label, alone) {
		const others = view.labels.filter((other) => other !== label);

		if (!alone) {
			if (!view.hidden.delete(label)) view.hidden.add(label);
		} else if (
			!view.hidden.has(label) &&
			others.every((other) => view.hidden.has(other))
		) {
			view.hidden.clear();
		} else {
			view.hidden = new Set(others);
		}
		change();
	}

	// Moves the line under the pointer in all parts; cheap, so at once.
	function point(t) {
		view.cursor = t;
		for (const part of parts) part.point();
	}

	function brush(range) {
		view.brushed = range;
		for (const part of parts) part.point();
	}

	function take() {
		const style = getComputedStyle(document.documentElement);

		for (const name of [
			"text",
			"muted",
			"grid",
			"frame",
			"panel",
			"lost",
			"off",
			"gap",
			"mark",
			"thread",
			"user",
			"kernel",
			"found",
			"on-flame",
			"0",
			"1",
			"2",
			"3",
			"4",
			"5",
			"6",
			"7",
		])
			view.colors[name] = style.getPropertyValue("--" + name).trim();
	}

	// A theme: system, light, dark.
	function choose(name) {
		view.theme = name;
		document.documentElement.dataset.theme =
			name === "system" ? (dark.matches ? "dark" : "light") : name;
		take();
		change();
	}

	// The first four lines have colours of their own, and so the next four, which are dashed.
	function style(label) {
		const at = view.labels.indexOf(label) % 8;

		return { color: view.colors[at], dash: at < 4 ? null : [7, 4] };
	}

	dark.addEventListener("change", () => view.theme === "system" && choose("system"));
	return Object.assign(view, {
		show,
		all,
		pan,
		zoom,
		zoomed,
		toggle,
		point,
		brush,
		choose,
		style,
		change,
		flush,
		end,
		column,
	});
})();
