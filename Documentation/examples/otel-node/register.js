// SPDX-License-Identifier: GPL-2.0 OR MIT
// Lets records of the kernel carry the active span of OpenTelemetry's SDK:
//
//	const { PevContextManager } = require('./register');
//	provider.register({ contextManager: new PevContextManager().enable() });
//
// The SDK's own context manager follows requests through callbacks and promises. This one does
// the same, and writes down whose turn it is, in each thread that has one.
'use strict';
const { createHook } = require('node:async_hooks');
const path = require('node:path');
const { trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const addon = require(path.resolve(process.env.PEV_CONTEXT_ADDON || `${__dirname}/pev_context.node`));

// Of a span's context; gone with it.
const records = new WeakMap();

function recordOf(context) {
	const ids = trace.getSpanContext(context);
	if (!ids)
		return null;
	let record = records.get(ids);
	if (!record) {
		record = addon.record(ids.traceId, ids.spanId);
		records.set(ids, record);
	}
	return record;
}

class PevContextManager extends AsyncLocalStorageContextManager {
	constructor() {
		super();
		// whose turn it was before: one callback may run inside of another
		this.outer = [];
		this.now = null;
		this.hook = createHook({
			before: () => {
				this.outer.push(this.now);
				this.turnTo(recordOf(this.active()));
			},
			after: () => this.turnTo(this.outer.pop() || null),
		});
	}

	turnTo(record) {
		this.now = record;
		addon.point(record);
	}

	with(context, fn, thisArg, ...args) {
		return super.with(context, () => {
			const before = this.now;
			this.turnTo(recordOf(context));
			try {
				return fn.apply(thisArg, args);
			} finally {
				this.turnTo(before);
			}
		});
	}

	enable() {
		const refused = addon.attach();
		// the server still works
		if (refused)
			console.error(`pev: records will carry no spans: ${refused}`);
		else
			this.hook.enable();
		return super.enable();
	}

	disable() {
		this.hook.disable();
		this.outer = [];
		this.turnTo(null);
		return super.disable();
	}
}

module.exports = { PevContextManager };
