/* Decodes the page's data and adds up the part of it that is shown. */
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);

/* Objects, as perfctl numbers their kinds. */
const KINDS = ["program or library", "kernel", "kernel module", "vdso", "anonymous memory", "unknown", "generated code"];
const KIND_KERNEL = 1, KIND_MODULE = 2, KIND_UNKNOWN = 5, KIND_THREAD = 99;

function reader(text) {
	const s = atob(text);
	let at = 0;
	return {
		more: () => at < s.length,
		next() {
			let v = 0, scale = 1, b;
			do {
				b = s.charCodeAt(at++);
				v += (b & 127) * scale;
				scale *= 128;
			} while (b & 128);
			return v;
		},
	};
}

const funcs = [];
for (const r = reader(D.funcs); r.more();) {
	const name = D.strings[r.next()], object = D.strings[r.next()], kind = r.next();
	funcs.push({ name, object, kind, id: funcs.length });
}

const nodeParent = [0], nodeFunc = [-1];
for (const r = reader(D.nodes); r.more();) {
	nodeParent.push(nodeParent.length - r.next());
	nodeFunc.push(r.next());
}

const threads = [];
for (const r = reader(D.threads); r.more();)
	threads.push({ comm: D.strings[r.next()], pid: r.next(), tid: r.next() });

/* Of a fleet, samples have a host and a service. */
function names(bytes)
{
	const list = [];
	for (const r = reader(bytes); r.more();)
		list.push(D.strings[r.next()]);
	return list;
}
const hosts = D.fleet ? names(D.fleet.hosts) : [],
      services = D.fleet ? names(D.fleet.services) : [];

for (const ev of D.events) {
	const r = reader(ev.entries), n = [], t = [], s = [], w = [], c = [];
	ev.host = [];
	ev.service = [];
	let node = 0;
	while (r.more()) {
		n.push(node += r.next());
		t.push(r.next());
		s.push(r.next());
		if (D.fleet) {
			ev.host.push(r.next());
			ev.service.push(r.next());
		}
		w.push(r.next());
		c.push(r.next());
	}
	Object.assign(ev, { node: n, thread: t, span: s, w, count: c });
}

for (const track of D.tracks) {
	const r = reader(track.runs);
	let at = 0;
	track.begin = [];
	track.end = [];
	track.thread = [];
	while (r.more()) {
		at += r.next();
		track.begin.push(at);
		at += r.next();
		track.end.push(at);
		track.thread.push(r.next());
	}
}

const markers = [];
{
	let at = 0;
	for (const r = reader(D.markers); r.more();) {
		at += r.next();
		markers.push({ at, cpu: r.next(), thread: threads[r.next()], name: D.strings[r.next()],
			       text: D.strings[r.next()] });
	}
}

/* The user's choices are kept in the address, so that a view can be shared. */
const state = {
	view : "flame",
	event : 0,
	q : "",
	from : 0,
	to : 0,
	invert : false,
	host : -1,
	service : -1
};

/* The first span of time that is chosen, and the one behind the last */
function chosenSpans()
{
	return state.to > state.from ?
		       [ Math.floor(state.from / D.span), Math.ceil(state.to / D.span) ] :
		       [ 0, Infinity ];
}

/* Is an entry among what is chosen? */
function chooser(ev)
{
	const [lo, hi] = chosenSpans();
	return i => ev.span[i] >= lo && ev.span[i] < hi &&
		    (state.host < 0 || ev.host[i] === state.host) &&
		    (state.service < 0 || ev.service[i] === state.service);
}

const progs = new Map();

function program(comm) {
	let f = progs.get(comm);
	if (!f) {
		f = { name: comm, object: "program", kind: KIND_THREAD, id: -1 - progs.size };
		progs.set(comm, f);
	}
	return f;
}

/*
 * Builds the tree that is shown from the entries in the chosen time range: programs
 * with their functions below them or, inverted, functions with their callers below.
 */
function buildTree() {
	const ev = D.events[state.event];
	const root = { func: { name: "all", object: "", kind: KIND_THREAD, id: -1e9 }, kids: new Map(),
		       w: 0, self: 0, count: 0, parent: null, depth: 0 };
	if (!ev)
		return root;
	const isChosen = chooser(ev), sums = new Map();
	for (let i = 0; i < ev.node.length; i++) {
		if (!isChosen(i))
			continue;
		const comm = threads[ev.thread[i]].comm, key = ev.node[i] + " " + comm;
		const s = sums.get(key);
		if (s) {
			s.w += ev.w[i];
			s.count += ev.count[i];
		} else {
			sums.set(key, { node: ev.node[i], comm, w: ev.w[i], count: ev.count[i] });
		}
	}
	for (const s of sums.values()) {
		const path = [];
		for (let n = s.node; n; n = nodeParent[n])
			path.push(funcs[nodeFunc[n]]);
		if (!state.invert) {
			path.push(program(s.comm));
			path.reverse();
		} else {
			path.push(program(s.comm));
		}
		let at = root;
		at.w += s.w;
		at.count += s.count;
		for (const f of path) {
			let kid = at.kids.get(f.id);
			if (!kid) {
				kid = { func: f, kids: new Map(), w: 0, self: 0, count: 0, parent: at,
					depth: at.depth + 1 };
				at.kids.set(f.id, kid);
			}
			kid.w += s.w;
			kid.count += s.count;
			at = kid;
		}
		at.self += s.w;
	}
	order(root);
	return root;
}

/* Sorts by weight, heaviest first; does not recurse because chains can be long. */
function order(root) {
	const todo = [root];
	while (todo.length) {
		const n = todo.pop();
		n.list = [...n.kids.values()].sort((a, b) => b.w - a.w || (a.func.name < b.func.name ? -1 : 1));
		for (const k of n.list)
			todo.push(k);
	}
}

/* Sums the self and total weights of each function; recursion counts once. */
function sumFunctions() {
	const ev = D.events[state.event], rows = new Map();
	if (!ev)
		return [];
	const isChosen = chooser(ev);
	const self = new Float64Array(nodeParent.length), count = new Float64Array(nodeParent.length);
	for (let i = 0; i < ev.node.length; i++)
		if (isChosen(i)) {
			self[ev.node[i]] += ev.w[i];
			count[ev.node[i]] += ev.count[i];
		}
	for (let n = 1; n < self.length; n++) {
		if (!self[n])
			continue;
		const seen = new Set();
		for (let at = n; at; at = nodeParent[at]) {
			const f = nodeFunc[at];
			if (seen.has(f))
				continue;
			seen.add(f);
			let row = rows.get(f);
			if (!row)
				rows.set(f, row = { func: funcs[f], self: 0, total: 0, count: 0 });
			row.total += self[n];
			if (at === n) {
				row.self += self[n];
				row.count += count[n];
			}
		}
	}
	return [...rows.values()];
}

let matcher = null;

function setSearch(text) {
	state.q = text;
	matcher = null;
	if (!text)
		return;
	try {
		const re = new RegExp(text, "i");
		matcher = f => re.test(f.name);
	} catch (e) {
		const low = text.toLowerCase();
		matcher = f => f.name.toLowerCase().includes(low);
	}
}

const fmtCount = n => Math.round(n).toLocaleString("en-US");
const fmtShare = (w, all) => all ? (100 * w / all).toFixed(2) + " %" : "-";

function fmtTime(ns) {
	if (ns < 1e3)
		return Math.round(ns) + " ns";
	if (ns < 1e6)
		return (ns / 1e3).toPrecision(4) + " \u00b5s";
	if (ns < 1e9)
		return (ns / 1e6).toPrecision(4) + " ms";
	return (ns / 1e9).toFixed(ns < 1e10 ? 4 : 3) + " s";
}

function hash(s) {
	let h = 2166136261;
	for (let i = 0; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 16777619);
	return (h ^ h >>> 13) >>> 0;
}

const darkMode = matchMedia("(prefers-color-scheme: dark)");

/* The kind of code determines the hue, the name the shade. */
function colorOf(f) {
	const h = hash(f.object + f.name), v = h % 16;
	if (f.kind === KIND_THREAD)
		return darkMode.matches ? "hsl(215 14% 34%)" : "hsl(215 18% 84%)";
	let hue, sat = 62;
	if (f.kind === KIND_KERNEL || f.kind === KIND_MODULE)
		hue = 205 + v;
	else if (f.kind === KIND_UNKNOWN)
		[hue, sat] = [0, 0];
	else if (/\.so(\.|$)/.test(f.object))
		hue = 30 + v;
	else
		hue = 95 + 2 * v;
	return darkMode.matches ? `hsl(${hue} ${sat * 0.6}% ${27 + (h >> 8) % 8}%)` :
				  `hsl(${hue} ${sat}% ${72 + (h >> 8) % 9}%)`;
}

const LEGEND = [
	["program", { name: "a", object: "a", kind: 0 }], ["library", { name: "c", object: "l.so", kind: 0 }],
	["kernel", { name: "b", object: "[kernel]", kind: KIND_KERNEL }],
	["unknown", { name: "b", object: "", kind: KIND_UNKNOWN }],
	["thread", { name: "", object: "", kind: KIND_THREAD }],
];

function commColor(comm) {
	const h = hash(comm);
	return darkMode.matches ? `hsl(${h % 360} 45% 42%)` : `hsl(${h % 360} 55% 62%)`;
}

/* Sets up a canvas for sharp lines; returns its context in CSS pixels. */
function prepare(canvas, height) {
	const width = Math.max(50, canvas.parentElement.clientWidth), ratio = Math.min(devicePixelRatio || 1, 3);
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	return [c, width];
}

function css(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* Cuts a text to the width; names keep their beginning. */
const widths = new Map();

function fit(c, text, room) {
	let each = widths.get(c.font);
	if (!each)
		widths.set(c.font, each = c.measureText("abcdefghijklmnopqrstuvwxyz_").width / 27);
	const most = Math.floor(room / each);
	if (text.length <= most)
		return text;
	return most < 3 ? "" : text.slice(0, most - 1) + "\u2026";
}

function tip(text, x, y) {
	const t = $("tip");
	if (!text) {
		t.hidden = true;
		return;
	}
	t.textContent = text;
	t.hidden = false;
	const r = t.getBoundingClientRect();
	t.style.left = Math.max(4, Math.min(x + 14, innerWidth - r.width - 8)) + "px";
	t.style.top = (y + 18 + r.height > innerHeight ? Math.max(4, y - r.height - 10) : y + 18) + "px";
}

function element(tag, cls, text) {
	const e = document.createElement(tag);
	if (cls)
		e.className = cls;
	if (text !== undefined)
		e.textContent = text;
	return e;
}
