// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// What report --html puts behind the plotting library: it draws what is in #data.
(function () {
	"use strict";

	const page = JSON.parse(document.getElementById("data").textContent);
	const plots = document.getElementById("plots");

	// The library takes titles for HTML, and names in a recording are anyone's.
	function escaped(text) {
		const span = document.createElement("span");

		span.textContent = text;
		return span.innerHTML;
	}

	function short(value) {
		const prefixes = ["", "k", "M", "G", "T", "P"];
		let i = 0;

		while (Math.abs(value) >= 1000 && i < prefixes.length - 1) {
			value /= 1000;
			i++;
		}
		return Number(value.toPrecision(4)) + prefixes[i];
	}

	// A line is steps: the last column's right edge is a point, too.
	function rows(plot) {
		const all = [];

		for (let i = 0; i <= page.columns; i++) {
			const from = Math.min(i, page.columns - 1);
			const row = [page.seconds * i / page.columns];

			for (const line of plot.lines)
				row.push(line.mean[from] === null ? null :
					[line.low[from], line.mean[from], line.high[from]]);
			all.push(row);
		}
		return all;
	}

	const graphs = page.plots.map(function (plot) {
		const div = document.createElement("div");

		div.className = "plot";
		plots.appendChild(div);
		return new Dygraph(div, rows(plot), {
			labels: ["seconds"].concat(plot.lines.map((line) => line.label)),
			title: escaped(plot.title),
			ylabel: escaped(plot.unit),
			xlabel: escaped("seconds since " + page.start),
			customBars: true,
			stepPlot: true,
			includeZero: true,
			legend: "always",
			labelsSeparateLines: false,
			fillAlpha: 0.25,
			strokeWidth: 1.5,
			axes: {
				x: { valueFormatter: (x) => x.toPrecision(9) + " s" },
				y: { axisLabelWidth: 70, axisLabelFormatter: short,
				     valueFormatter: short },
			},
		});
	});

	if (graphs.length > 1)
		Dygraph.synchronize(graphs, { selection: true, zoom: true, range: false });
})();
