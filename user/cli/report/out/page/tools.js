// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The bar above the plots, the keys, and the help.
report.tools = (function () {
	const view = report.view,
		units = report.units,
		make = report.make;
	const keys = [
		["← →", "move the window of time"],
		["+ −", "zoom in, zoom out"],
		["Home, Esc, 0", "show all of the time"],
		[", .", "move the cursor, whose values stand in the legends"],
		["l", "next scale: clipped, linear, log"],
		["t", "next theme: as the system has it, light, dark"],
		["Tab, Enter", "to a line of a legend; show or hide it"],
		["Shift+Enter", "show this line alone"],
		["?", "this help"],
		["drag", "zoom into that part of the time"],
		["Shift+drag", "move the window of time"],
		["Ctrl+wheel", "zoom at the pointer"],
		["double click", "show all of the time"],
	];
	const help = make("dialog", { id: "help" });
	const shown = make("output", { id: "window" });

	function button(name, label, act, id) {
		const one = make("button", { type: "button", id, title: label }, name);

		one.setAttribute("aria-label", label);
		one.addEventListener("click", act);
		return one;
	}

	// One of several, as radio buttons: arrow keys choose.
	function choice(name, legend, values, act) {
		const set = make("fieldset", { className: "choice" }, make("legend", {}, legend));

		for (const [value, text, title] of values) {
			const radio = make("input", {
				type: "radio",
				name,
				value,
				checked: value === view[name],
			});

			radio.addEventListener("change", () => act(value));
			set.append(make("label", { title }, radio, make("span", {}, text)));
		}
		return set;
	}

	function scale(value) {
		view.scale = value;
		view.change();
	}

	function next(name, act) {
		const radios = [...document.querySelectorAll("input[name=" + name + "]")];
		const at = (radios.findIndex((radio) => radio.checked) + 1) % radios.length;

		radios[at].checked = true;
		act(radios[at].value);
	}

	function bar() {
		const p =
			"Without outliers: a column in a hundred that is more than twice as high " +
			"as all others; says what it cuts off";

		help.append(
			make("h2", {}, "Keys and pointer"),
			make(
				"dl",
				{},
				...keys.flatMap(([key, does]) => [
					make("dt", {}, key),
					make("dd", {}, does),
				]),
			),
			make("p", {}, "Finer columns: --columns and --time of pmcgrp report."),
			button("Close", "Close the help", () => help.close(), "close"),
		);
		document.body.append(help);
		return [
			choice(
				"scale",
				"Scale",
				[
					["clip", "Clip", p],
					["linear", "Linear", "From 0 to the most"],
					["log", "Log", "Each ten times as much as the one before"],
				],
				scale,
			),
			make(
				"div",
				{
					className: "buttons",
					role: "group",
					"aria-label": "Window of time",
				},
				button("←", "Earlier", () => view.pan(-0.25), "earlier"),
				button("→", "Later", () => view.pan(0.25), "later"),
				button("−", "Zoom out", () => view.zoom(2), "out"),
				button("+", "Zoom in", () => view.zoom(0.5), "in"),
				button("All", "Show all of the time", () => view.all(), "all"),
			),
			shown,
			choice(
				"theme",
				"Theme",
				[
					["system", "Auto", "As the system has it"],
					["light", "Light", ""],
					["dark", "Dark", ""],
				],
				view.choose,
			),
			button("?", "Help", () => help.showModal(), "what"),
		];
	}

	function draw() {
		document.getElementById("all").disabled = !view.zoomed();
		document.getElementById("earlier").disabled = view.from <= 0;
		document.getElementById("later").disabled = view.to >= view.end * 0.999999;
		shown.textContent =
			units.moment(view.from) +
			" – " +
			units.moment(view.to) +
			(view.zoomed() ? "" : " (all)");
	}

	const acts = {
		ArrowLeft: () => view.pan(-0.25),
		ArrowRight: () => view.pan(0.25),
		"+": () => view.zoom(0.5, view.cursor),
		"=": () => view.zoom(0.5, view.cursor),
		"-": () => view.zoom(2, view.cursor),
		Home: () => view.all(),
		0: () => view.all(),
		Escape: () => report.point.cancel() || view.all(),
		",": () => report.point.step(-1),
		".": () => report.point.step(1),
		l: () => next("scale", scale),
		t: () => next("theme", view.choose),
		"?": () => help.showModal(),
	};

	addEventListener("keydown", (event) => {
		const radio =
			event.target instanceof HTMLInputElement && event.key.startsWith("Arrow");

		if (
			help.open ||
			radio ||
			event.ctrlKey ||
			event.altKey ||
			event.metaKey ||
			!acts[event.key]
		)
			return;
		event.preventDefault();
		acts[event.key]();
	});
	view.parts.push({ draw, point: () => undefined });
	return { bar };
})();
