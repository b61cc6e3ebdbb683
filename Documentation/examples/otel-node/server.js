// SPDX-License-Identifier: GPL-2.0 OR MIT
// A server with OpenTelemetry's SDK, and clients that all ask at once. Each request has a span, in
// which the order is read, checked and paid, each in a span of its own, with waits between.
//
// usage: server.js REQUESTS
//
// Prints a line for each span: the number of its system call, trace id, span id, name. The call,
// getpriority(2) of a process of this number, says in the kernel's records what they should say.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { trace } = require('@opentelemetry/api');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { PevContextManager } = require('./register');

const REQUESTS = Number(process.argv[2] || 8);
const FIRST = 100000000; // of no process
const provider = new NodeTracerProvider();
provider.register({ contextManager: new PevContextManager().enable() });
const tracer = trace.getTracer('shop');

function call(number) {
	try {
		os.getPriority(number);
	} catch (e) {
		if (e.code !== 'ERR_SYSTEM_ERROR')
			throw e;
	}
}

function spin(rounds) {
	let sum = 0;
	for (let i = 0; i < rounds; i++)
		sum += i % 7;
	return sum;
}

function step(number, name, work) {
	return tracer.startActiveSpan(name, async (span) => {
		const ids = span.spanContext();
		console.log(number, ids.traceId, ids.spanId, name);
		try {
			return await work();
		} finally {
			span.end();
		}
	});
}

async function checkout(n) {
	const first = FIRST + n * 10;
	await step(first, 'checkout', async () => {
		call(first);
		await step(first + 1, 'read', async () => {
			await fs.promises.readFile(__filename);
			call(first + 1);
		});
		await Promise.all([
			step(first + 2, 'check', async () => {
				await pause(n % 5);
				spin(20000 * (n % 4 + 1));
				call(first + 2);
			}),
			step(first + 3, 'pay', async () => {
				for (let i = 0; i < 3; i++) {
					await new Promise((done) => setImmediate(done));
					call(first + 3);
				}
			}),
		]);
		call(first);
	});
}

const server = http.createServer(async (request, response) => {
	await checkout(Number(request.url.slice(1)));
	call(FIRST - 1); // of no span any more
	response.end('done\n');
});

function ask(n) {
	return new Promise((resolve, reject) => {
		http.get({ socketPath, path: `/${n}` }, (response) => {
			response.resume();
			response.on('end', resolve);
		}).on('error', reject);
	});
}

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'shop-'));
const socketPath = path.join(directory, 'socket');

server.listen(socketPath, async () => {
	const asked = [];
	for (let n = 0; n < REQUESTS; n++)
		asked.push(ask(n));
	await Promise.all(asked);
	server.close();
	fs.rmSync(directory, { recursive: true });
});
