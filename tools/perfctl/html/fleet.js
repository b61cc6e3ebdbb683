/* Samples of many machines: hosts and services to choose from, and what they took over time. */
const CLOCK = /^(cpu|task)-clock/;
/* steps of the axis that are round on a clock, in seconds */
const CLOCK_STEPS = [
	10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800, 2592000
];

const fleet = {
	bars : 96,

	/* The names of all are hostile: they only ever become text. */
	kinds : [
		{ id : "host", all : "all hosts", names : hosts, of : ev => ev.host },
		{ id : "service", all : "all services", names : services, of : ev => ev.service },
	],

	clock(t) {
		return new Date(D.fleet.begin + t / 1e6).toISOString().replace("T", " ");
	},

	/* A time as people say it, with seconds where spans are so short */
	at(t) {
		return this.clock(t).slice(0, D.span < 60e9 ? 19 : 16);
	},

	axisLabel(t, step) {
		return step >= 86400e9		 ? this.clock(t).slice(0, 10) :
		       step < 60e9		 ? this.clock(t).slice(11, 19) :
		       D.info.duration > 86400e9 ? this.clock(t).slice(5, 16) :
						   this.clock(t).slice(11, 16);
	},

	/* Steps begin at full minutes or hours, whenever the page's time begins. */
	axisFirst(from, step) {
		const off = D.fleet.begin % (step / 1e6) * 1e6;
		return Math.ceil((from + off) / step) * step - off;
	},

	/* CPUs that a weight keeps busy in a span of time, or samples in it */
	amount(w, span) {
		const ev = D.events[state.event];
		return ev && CLOCK.test(ev.name) ? w / span : w;
	},

	fmtAmount(v) {
		const ev = D.events[state.event];
		return ev && CLOCK.test(ev.name) ?
			       `${v < 10 ? v.toPrecision(2) : v.toFixed(v < 100 ? 1 : 0)} CPUs` :
			       fmtCount(v);
	},

	fmtLong(ns) {
		return ns >= 36e11 ?
			       (ns / 36e11).toLocaleString("en-US", { maximumFractionDigits : 1 }) +
				       " hours" :
			       fmtTime(ns);
	},

	spanLength(i) {
		return Math.max(1, Math.min(D.span, D.info.duration - i * D.span));
	},

	/* Adds up spans, and each host and service among what the other choices leave. */
	add() {
		const ev = D.events[state.event],
		      n = Math.max(1, Math.ceil(D.info.duration / D.span));
		const [lo, hi] = chosenSpans();
		this.all = new Float64Array(n);
		this.chosen = new Float64Array(n);
		this.kinds.forEach(k => {
			k.w = new Float64Array(k.names.length);
			k.count = new Float64Array(k.names.length);
		});
		for (let i = 0; ev && i < ev.node.length; i++) {
			const h = ev.host[i], s = ev.service[i], span = Math.min(ev.span[i], n - 1),
			      w = ev.w[i];
			const isHost = state.host < 0 || state.host === h,
			      isService = state.service < 0 || state.service === s;
			this.all[span] += w;
			if (isHost && isService)
				this.chosen[span] += w;
			if (ev.span[i] < lo || ev.span[i] >= hi)
				continue;
			if (isService) {
				this.kinds[0].w[h] += w;
				this.kinds[0].count[h] += ev.count[i];
			}
			if (isHost) {
				this.kinds[1].w[s] += w;
				this.kinds[1].count[s] += ev.count[i];
			}
		}
		this.kinds.forEach(k => this.fill(k));
	},

	/* Heaviest first; those that are together come last. */
	ordered(k) {
		const others = i => k.names[i] === `(other ${k.id}s)`;
		return k.names.map((name, i) => i)
			.sort((a, b) => others(a) - others(b) || k.w[b] - k.w[a] ||
					(k.names[a] < k.names[b] ? -1 : 1));
	},

	fill(k) {
		const box = $(k.id), sum = k.w.reduce((a, b) => a + b, 0);
		const option = (value, text) => {
			const o = element("option", "", text);
			o.value = value;
			return o;
		};
		box.replaceChildren(
			option(-1, k.all),
			...this.ordered(k).map(
				i => option(i, `${k.names[i]} (${fmtShare(k.w[i], sum)})`)));
		box.value = state[k.id];
	},

	draw(t) {
		const c = t.c, top = t.axis + 6, height = this.bars - 12;
		const v = [...this.chosen ].map((w, i) => this.amount(w, this.spanLength(i)));
		const most = Math.max(...v, 1e-9),
		      [ number, unit ] = this.fmtAmount(most).split(" ");
		c.fillStyle = css("--panel");
		c.fillRect(t.left, top, t.width - t.left - 8, height);
		c.save();
		c.beginPath();
		c.rect(t.left, top, t.width - t.left - 8, height);
		c.clip();
		c.fillStyle = css("--bar");
		v.forEach((amount, i) => {
			const x = t.x(i * D.span), end = t.x(i * D.span + this.spanLength(i)),
			      h = height * amount / most;
			c.fillRect(x, top + height - h,
				   Math.max(end - x - (end - x > 4 ? 1 : 0), 0.7), h);
		});
		c.restore();
		c.fillStyle = css("--soft");
		c.fillText(number, 6, top + 8);
		c.fillText(unit || "", 6, top + 24);
		c.fillText("0", 6, top + height - 6);
	},

	about(t) {
		const i = Math.floor(t / D.span), len = this.spanLength(i);
		if (i >= this.all.length)
			return "";
		const text = `${this.at(i * D.span)} to ${this.at(i * D.span + len)} UTC\n${
			this.fmtAmount(this.amount(this.all[i], len))}`;
		return state.host < 0 && state.service < 0 ?
			       text :
			       `${text} of all, ${
				       this.fmtAmount(this.amount(this.chosen[i],
								  len))} of what is chosen`;
	},

	choose(k, i) {
		state[k.id] = i;
		graph.zoomed = null;
		refresh();
	},

	/* Both as tables, each for what the other choices leave; a row chooses. */
	drawTables() {
		$("view-who").replaceChildren(...this.kinds.map(k => {
			const table = element("table"), head = element("thead"), tr = element("tr"),
			      body = element("tbody");
			const sum = k.w.reduce((a, b) => a + b, 0), list = this.ordered(k),
			      most = list.length ? k.w[list[0]] : 0;
			for (const [name, cls] of [[ "Share", "n" ], [ "Samples", "n wide" ],
						   [ "", "b" ],
						   [ k.id === "host" ? "Host" : "Service", "" ]])
				tr.append(element("th", cls + " plain", name));
			head.append(tr);
			for (const i of list) {
				const row = element("tr", i === state[k.id] ? "on" : "");
				row.tabIndex = 0;
				row.setAttribute("aria-selected", i === state[k.id]);
				row.append(element("td", "n", fmtShare(k.w[i], sum)),
					   element("td", "n wide", fmtCount(k.count[i])),
					   bar(element("td", "b"), k.w[i], k.w[i], most),
					   element("td", "f", k.names[i]));
				row.onclick = () => this.choose(k, state[k.id] === i ? -1 : i);
				row.onkeydown = e => {
					if (e.key === "Enter" || e.key === " ") {
						e.preventDefault();
						row.onclick();
					}
				};
				body.append(row);
			}
			table.append(head, body);
			return table;
		}));
	},

	/* What the choice is, for the line below the graph */
	words() {
		return this.kinds.filter(k => state[k.id] >= 0)
			.map(k => `\n${k.id} ${k.names[state[k.id]]}`)
			.join("");
	},

	bounds() {
		const isPart = D.fleet.bounds.includes("heaviest");
		const p = element(
			"p", "",
			`This page has ${D.fleet.bounds}; spans of ${fmtSpan(D.span)}.` +
				(isPart ?
					 " What is lighter is added up as (other hosts), (other services) and (rest)." :
					 ""));
		p.id = "bounds";
		$("facts").after(p);
	},

	load(p) {
		for (const k of this.kinds)
			state[k.id] = p.has(k.id) ? k.names.indexOf(p.get(k.id)) : -1;
	},

	save(p) {
		for (const k of this.kinds)
			if (state[k.id] >= 0)
				p.set(k.id, k.names[state[k.id]]);
	},

	listen() {
		for (const k of this.kinds) {
			$(k.id).hidden = false;
			$(k.id).onchange = () => this.choose(k, +$(k.id).value);
		}
		$("all-time").textContent = "All of the time";
		$("tracks").setAttribute(
			"aria-label",
			"What was taken over time. Drag to choose a span of time; arrow keys move, plus and minus zoom.");
		for (const e of document.querySelectorAll(".fleet"))
			e.hidden = false;
	},
};

function fmtSpan(ns)
{
	const s = Math.round(ns / 1e9);
	for (const [of, name] of [[ 86400, "day" ], [ 3600, "hour" ], [ 60, "minute" ],
				  [ 1, "second" ]])
		if (s % of === 0 && s >= of)
			return `${fmtCount(s / of)} ${name}${s === of ? "" : "s"}`;
	return fmtTime(ns);
}

/* A time of the page: of the clock for a fleet, since its begin otherwise */
const fmtAt = t => D.fleet ? fleet.at(t) : fmtTime(t);
