/* Puts the parts together. */
let root = null;
const VIEWS = [ "flame", "icicle", "tree", "table" ].concat(D.fleet ? [ "who" ] : []);

function say(text) {
	const lines = text.split("\n"), s = $("status");
	s.replaceChildren(element("b", "", lines[0]), document.createTextNode("  " + lines.slice(1).join("  \u00b7  ")));
}

/* Adds up the share of stacks with a match; each stack counts once. */
function matchShare() {
	let w = 0;
	const todo = [root];
	while (todo.length) {
		const n = todo.pop();
		if (n !== root && matcher(n.func))
			w += n.w;
		else
			todo.push(...n.list);
	}
	return w;
}

function sayState() {
	const ev = D.events[state.event];
	if (!ev) {
		say("No samples in this recording.");
		return;
	}
	let text = `${ev.name}\n${fmtCount(root.count)} samples`;
	if (D.fleet && CLOCK.test(ev.name))
		text += `\n${fleet.fmtLong(root.w)} of CPU time, ` +
			`${
				fleet.fmtAmount(root.w / (state.to > state.from ?
								  state.to - state.from :
								  D.info.duration || 1))}`;
	else if (ev.ns)
		text = `${ev.name}\n${fmtTime(root.w)} of threads' time`;
	else if (root.w !== root.count)
		text += `\nstanding for ${fmtCount(root.w)} events`;
	if (state.to > state.from)
		text += `\nfrom ${fmtAt(state.from)} to ${fmtAt(state.to)}`;
	if (D.fleet)
		text += fleet.words();
	if (matcher)
		text += `\n${fmtShare(matchShare(), root.w)} match`;
	say(text);
}

function saveState() {
	const p = new URLSearchParams();
	p.set("view", state.view);
	if (state.event)
		p.set("event", state.event);
	if (state.q)
		p.set("q", state.q);
	if (state.to > state.from)
		p.set("time", Math.round(state.from) + "-" + Math.round(state.to));
	if (state.invert)
		p.set("invert", 1);
	if (D.fleet)
		fleet.save(p);
	if (graph.zoomed)
		p.set("zoom", pathOf(graph.zoomed).join("."));
	try {
		history.replaceState(null, "", "#" + p);
	} catch (e) {
		/* some browsers refuse this for local files: the choice is not kept then */
	}
}

function loadState() {
	const p = new URLSearchParams(location.hash.slice(1));
	if (VIEWS.includes(p.get("view")))
		state.view = p.get("view");
	state.event = Math.max(0, Math.min(D.events.length - 1, parseInt(p.get("event"), 10) || 0));
	state.invert = p.get("invert") === "1";
	if (D.fleet)
		fleet.load(p);
	const time = /^(\d+)-(\d+)$/.exec(p.get("time") || "");
	[state.from, state.to] = time ? [+time[1], Math.min(+time[2], D.info.duration)] : [0, 0];
	$("search").value = p.get("q") || "";
	setSearch($("search").value);
	return (p.get("zoom") || "").split(".").filter(s => s).map(Number);
}

function draw() {
	const isGraph = state.view === "flame" || state.view === "icicle";
	for (const b of $("tabs").children) {
		b.setAttribute("aria-selected", b.dataset.view === state.view);
		b.tabIndex = b.dataset.view === state.view ? 0 : -1;
	}
	$("view-graph").hidden = $("legend").hidden = !isGraph;
	$("view-tree").hidden = state.view !== "tree";
	$("view-table").hidden = state.view !== "table";
	$("view-who").hidden = state.view !== "who";
	$("invert").hidden = state.view === "table" || state.view === "who";
	$("invert").setAttribute("aria-pressed", state.invert);
	$("unzoom").hidden = true;
	timeline.draw();
	if (isGraph)
		graph.draw();
	else if (state.view === "tree")
		callTree.draw(root);
	else if (state.view === "who")
		fleet.drawTables();
	else
		funcTable.draw(root.w);
	$("all-time").hidden = !(state.to > state.from);
	$("range").textContent = state.to > state.from ?
					 `${fmtAt(state.from)} to ${fmtAt(state.to)}` :
					 "";
}

/* Redraws after the event, the time range or the order changed. */
function refresh() {
	root = buildTree();
	if (D.fleet)
		fleet.add();
	graph.set(root);
	draw();
	sayState();
	saveState();
}

function show(view) {
	if (state.view !== view)
		graph.scrolled = false;
	state.view = view;
	draw();
	sayState();
	saveState();
}

function facts() {
	const i = D.info, box = $("facts");
	const add = (label, value, cls) => {
		if (!value)
			return;
		const s = element("span", cls, label + " ");
		s.append(element("b", "", value));
		box.append(s);
	};
	if (i.command) {
		$("title").replaceChildren(element("code", "", i.command.length > 160 ? i.command.slice(0, 160) + "\u2026" : i.command));
		$("title").title = i.command;
		document.title = i.command.slice(0, 60) + " - perfctl";
	}
	if (D.fleet) {
		add("from", fleet.at(0) + " UTC");
		add("to", fleet.at(i.duration) + " UTC");
		fleet.bounds();
	} else {
		add("recorded", i.when);
		add("for", fmtTime(i.duration));
	}
	add("on", i.hostname);
	add("Linux", i.release);
	add("", i.machine);
	add("lost records:", i.lost ? fmtCount(i.lost) : "", "bad");
	add("damaged packets:", i.damaged ? fmtCount(i.damaged) : "", "bad");
	add("calls too rare to be shown, as (rest):", i.rest ? `${i.rest} %` : "");
	for (const [n, ev] of D.events.entries()) {
		const o = element(
			"option", "",
			`${ev.name} (${ev.ns ? fmtTime(ev.weight) : fmtCount(ev.samples)})`);
		o.value = n;
		$("event").append(o);
	}
	drawLegend();
}

function drawLegend() {
	$("legend").replaceChildren(...LEGEND.map(([name, f]) => {
		const s = element("span"), box = element("i");
		box.style.background = colorOf(f);
		s.append(box, document.createTextNode(name));
		return s;
	}));
}

function back() {
	if ($("search").value) {
		$("search").value = "";
		setSearch("");
		show(state.view);
	} else if (graph.zoomed) {
		graph.zoom(null);
	} else if (state.to > state.from) {
		timeline.select(0, 0);
	}
}

function keys(e) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
	if (e.ctrlKey || e.metaKey || e.altKey || $("help").open)
		return;
	if (e.key === "Escape") {
		back();
		if (typing)
			e.target.blur();
	} else if (typing) {
		return;
	} else if (e.key === "/") {
		$("search").focus();
		$("search").select();
	} else if (e.key === "?") {
		$("help").showModal();
	} else if (e.key === "i") {
		$("invert").click();
	} else if (e.key === "+" || e.key === "=") {
		timeline.zoom(0.5);
	} else if (e.key === "-") {
		timeline.zoom(2);
	} else if (VIEWS[e.key - 1]) {
		show(VIEWS[e.key - 1]);
	} else
		return;
	e.preventDefault();
}

function listen() {
	timeline.listen();
	graph.listen();
	callTree.listen();
	funcTable.listen();
	if (D.fleet)
		fleet.listen();
	$("tabs").addEventListener("click", e => {
		if (e.target.dataset.view)
			show(e.target.dataset.view);
	});
	$("tabs").addEventListener("keydown", e => {
		const list = [...$("tabs").children ].filter(b => !b.hidden),
		      i = list.indexOf(e.target);
		const to = e.key === "ArrowRight" ? list[i + 1] : e.key === "ArrowLeft" ? list[i - 1] : null;
		if (to) {
			show(to.dataset.view);
			to.focus();
		}
	});
	$("event").onchange = () => {
		state.event = +$("event").value;
		graph.zoomed = null;
		refresh();
	};
	$("invert").onclick = () => {
		state.invert = !state.invert;
		graph.zoomed = null;
		refresh();
	};
	$("search").addEventListener("input", () => {
		setSearch($("search").value);
		show(state.view);
	});
	$("show-help").onclick = () => $("help").showModal();
	document.addEventListener("keydown", keys);
	let due = 0;
	addEventListener("resize", () => {
		cancelAnimationFrame(due);
		due = requestAnimationFrame(draw);
	});
	darkMode.addEventListener("change", () => {
		drawLegend();
		draw();
	});
	addEventListener("hashchange", () => {
		graph.zoomed = null;
		const path = loadState();
		refresh();
		graph.zoom(follow(root, path));
	});
}

facts();
const wantedZoom = loadState();
$("event").value = state.event;
listen();
refresh();
if (wantedZoom.length)
	graph.zoom(follow(root, wantedZoom));
/* The tests wait for this attribute and check how long it took. */
document.documentElement.dataset.ready = Math.round(performance.now());
