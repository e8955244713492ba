// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The last part: puts the others in their places.
(function () {
	const view = report.view,
		plots = document.getElementById("plots");
	const PRINTED = 680; // pixels of a page of paper

	document.getElementById("facts").textContent = report.tables.facts();
	document.getElementById("tools").append(...report.tools.bar());
	const panels = report.data.plots.map((plot, i) => {
		const panel = report.plot.panel(plot, i);

		panel.section.append(report.heat.map(plot, i, panel.area));
		plots.append(panel.section);
		return panel;
	});

	panels[panels.length - 1].section.classList.add("last");
	if (report.data.lanes.length) plots.append(report.lanes.panel(() => panels[0].area().x));
	if (report.tree) document.getElementById("chains").append(report.flame.panel());
	document.getElementById("tables").append(...report.tables.all());
	view.choose("system");
	view.flush();

	function resize() {
		for (const part of view.parts) {
			if (part.resize) part.resize();
		}
		view.flush();
	}

	let width = plots.clientWidth;

	new ResizeObserver(() => {
		if (plots.clientWidth === width || !plots.clientWidth) return;
		width = plots.clientWidth;
		resize();
	}).observe(plots);

	// Paper is white, and as wide as it is.
	addEventListener("beforeprint", () => {
		document.documentElement.style.width = PRINTED + "px";
		document.documentElement.classList.add("printed");
		report.theme = view.theme;
		view.choose("light");
		resize();
	});
	addEventListener("afterprint", () => {
		document.documentElement.style.width = "";
		document.documentElement.classList.remove("printed");
		view.choose(report.theme);
		resize();
	});
})();
